"""Turns declared corpora into published snapshots.

`corpora` reads the declarations, `sources` the documents; `tag_corpus` builds their matrix and `clustering` turns it
into a snapshot. `job` does all of this once and publishes; `schedule` queues jobs when they are due.
"""
