"""How steady the clusters of a growing corpus are, and what the steadiness costs: docs/research/continuity.md.

python -m bench.cocluster.stability            # what is missing of the measurements, then the table and the plots
python -m bench.cocluster.stability report     # the table and the plots of what has been measured
python -m bench.cocluster.stability tune       # other splits, smaller: how levels, inertia and tolerance were chosen
"""
