"""What folding the spellings of a tag changes, and whether the folds are right.

python -m bench.worker.folding                     measure what has no result yet, then write the tables
python -m bench.worker.folding report              the tables of what there is
python -m bench.worker.folding draw radio_large    print 200 folds of a corpus to judge, with their counts

judgements.tsv has the folds as they were read and judged, one a line.
"""
