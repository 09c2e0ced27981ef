"""Measurements of the maths: speed, scale, quality against peers, and the experiments of the paper."""
