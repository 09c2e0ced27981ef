"""Measurements of what a run adds: vocabulary, rare tags, related tags, proposals, and what exports become."""
