"""Related tags measured as a recommender: hide a tag of a document, ask with the rest, see where it stands.

python -m bench.suggest            all that has no result yet, then the table and the plot
python -m bench.suggest report     the table and the plot of what there is
"""
