"""Concepts and trees: clusters, any cut, dendrograms, classification, changes. Entry point: `clusters.clusters`."""
