"""How well critical_size="auto" (math.md, eq. 10) finds the number of clusters of checkerboards.

python -m bench.cocluster.critical_size evaluate   # a grid of sizes, unseen seeds; for docs/research/critical-size.md
python -m bench.cocluster.critical_size anywhere   # any size between, and what can be learned from many such boards
python -m bench.cocluster.critical_size tune       # how the numbers of SizeRange were chosen, on other seeds
python -m bench.cocluster.critical_size corpora    # what it gives on samples of real corpora
"""
