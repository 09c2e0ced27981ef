"""Runs: when they are due, who computes them, and how they end.

Entry points: `scheduler.Scheduler`, `worker`, `job.run`.
"""
