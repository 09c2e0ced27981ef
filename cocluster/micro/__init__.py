"""Micro-clusters by divergence: for corpora too large to compare all pairs of documents.

`documents` and `tags` make micro-clusters of either side, starting from `seeding`; `kernel` finds the nearest cluster
of a document; `inheritance` is eq. 12 for products; `fitting` runs them all. docs/explanation/scale.md explains it.
"""
