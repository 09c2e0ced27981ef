"""The map of concepts."""
