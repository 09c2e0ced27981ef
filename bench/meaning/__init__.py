"""What people see, judged from outside: are tags that stand together alike, and is a group named after what it shows?

python -m bench.meaning                     measure all that has no result yet, then write the tables
python -m bench.meaning clouds first        only these parts: partitions, refine, blocks, clouds, order, first, names,
                                            stability, peers, grouping and variants are all there are
python -m bench.meaning clouds --corpora tabler_icons whatscooking --seeds 0
python -m bench.meaning clouds --again      measure again what the service shows now
python -m bench.meaning report              the tables of what there is
python -m bench.meaning show apple rain --corpora tabler_icons    print clouds, to read them

`blocks` needs graph-tool, which is not on PyPI (`bench/meaning/nested_blocks.py`); all else does without.

Sentence embeddings of the tags are the judge. They come from outside the corpora, and the product never reads them.
"""
