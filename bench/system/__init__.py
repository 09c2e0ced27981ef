"""Measurements of all parts together: faults, the first minute, and what a corpus takes."""
