"""Micro-clusters by divergence: the way past the size at which all pairs of documents can be compared.

`gathering` holds M* as a product that is never written out, `kernel` finds the nearest cluster of a document,
`documents` and `tags` make micro-clusters of either side, `inheriting` is eq. 12 for products, `tasks` says where
the blocks of documents are worked on. docs/explanation/scale.md tells the way and what it costs.
"""

from cocluster.micro.tasks import Local, Tasks

__all__ = ["Local", "Tasks"]
