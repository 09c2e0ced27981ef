"""How many of the proposals to editors are right.

python -m bench.worker.proposals                     write the table of what was judged
python -m bench.worker.proposals draw radio_large    print 100 proposals of each kind to judge, with evidence

python -m bench.worker.proposals cost radio_large    print what the pairs cost: processor seconds, bytes stored

python -m bench.worker.proposals covered             print the share of tags that each kind of relation is proposed for

python -m bench.worker.proposals wordnet --wordnet DIR    print what WordNet says of the proposed relations

judgements.tsv has the proposals as they were read and judged, one a line: right if an editor of this corpus would count
the two as one tag, accept the relation, or leave out the broad one.
"""
