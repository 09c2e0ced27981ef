"""How many of the proposals to editors are right.

python -m bench.proposals                     write the table of what was judged
python -m bench.proposals draw radio_large    print the proposals to judge, 100 of each kind of a corpus, with evidence

python -m bench.proposals cost radio_large    print what the pairs cost: processor seconds, bytes stored

judgements.tsv has the proposals as they were read and judged, one a line: right if an editor of this corpus would count
the two as one tag, or leave out the broad one.
"""
