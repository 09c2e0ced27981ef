"""Fits one matrix: chooses a plan, smooths, agglomerates, and keeps the history. Entry points: `plan`, `exact`."""
