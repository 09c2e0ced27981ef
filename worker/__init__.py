"""Turns declared corpora into published snapshots.

`corpora` reads the declarations, `sources` the documents, `corpus` makes a matrix of them, `building` turns a
clustering into a snapshot, `job` runs the whole once, `queue` and `schedule` run it when it is due.
"""
