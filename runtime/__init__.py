"""What every process of Cotag needs, whatever it does: settings, a log that never waits, a sign of life, durations.

Imports nothing of Cotag.
"""
