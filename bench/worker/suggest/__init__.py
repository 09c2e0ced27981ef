"""Related tags measured as a recommender: hide a tag of a document, ask with the rest, see where it stands.

python -m bench.worker.suggest            all that has no result yet, then the table and the plot
python -m bench.worker.suggest report     the table and the plot of what there is
python -m bench.worker.suggest again      our ranker measured again, beside its stored figures
python -m bench.worker.suggest hindsight  what all rankers together find of the tail of tabler_icons
python -m bench.worker.suggest many       a corpus of more than 8,000 tags
python -m bench.worker.suggest sample     what it costs to know documents without a tag by a sample
"""
