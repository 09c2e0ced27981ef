"""One corpus from matrix to snapshot. Entry point: `cluster.cluster`."""
