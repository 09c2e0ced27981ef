"""Micro-clusters by divergence: for corpora too large to compare all pairs of documents.

`documents` and `tags` make micro-clusters of either side, beginning with `seeding`; `kernel` finds the nearest cluster
of a document; `inheritance` is eq. 12 for products; `fitting` puts it together. docs/explanation/scale.md explains it.
"""
