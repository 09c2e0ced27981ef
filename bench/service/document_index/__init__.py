"""Measures how documents are stored: bytes, time to take up a version, memory of processes, and other structures."""
