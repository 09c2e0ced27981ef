"""The experiments of *Tagged Documents Co-Clustering* (Candel & Naccache, 2021), remade; see docs/research/paper.md."""
