"""What folding the spellings of a tag changes, and whether the folds are right.

python -m bench.folding                     measure what has no result yet, then write the tables
python -m bench.folding report              the tables of what there is
python -m bench.folding draw radio_large    print the folds to judge, 200 of a corpus, with how often each name occurs

judgements.tsv has the folds as they were read and judged, one a line.
"""
