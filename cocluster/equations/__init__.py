"""The equations of the paper, one module a group of them, in the order of docs/explanation/math.md.

The flow: incidence (M), similarity (1), transition (2), smoothing (3, 4), entropy (5, 6), divergence (7), information
(9), criterion (10). Imports nothing of the rest of cocluster but `cocluster.tasks`.
"""
