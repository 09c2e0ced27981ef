"""Measurements of the service: speed of answers and pages, documents, edits, spelling."""
