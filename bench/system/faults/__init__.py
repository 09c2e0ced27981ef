"""Faults of the whole system under reads and pushes: what they cost, and how soon everything works again."""
