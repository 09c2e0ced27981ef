"""The experiments of *Tagged Documents Co-Clustering* (Candel & Naccache, 2021), remade; see docs/research/paper.md.

python -m bench.cocluster.paper                  # all of it
python -m bench.cocluster.paper quality density  # some of it
"""
