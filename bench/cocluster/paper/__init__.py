"""The experiments of *Tagged Documents Co-Clustering* (Candel & Naccache, 2021), remade; see docs/research/paper.md.

python -m bench.paper                  # all of it
python -m bench.paper quality density  # some of it
"""
