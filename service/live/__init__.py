"""The current versions in memory: loading them, following edits, their files of documents, and why one is absent.

Entry point: `snapshots.LiveSnapshots`.
"""
