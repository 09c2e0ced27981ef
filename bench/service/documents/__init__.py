"""Ranking documents, measured as a recommender: four tasks on five corpora, beside what a user would put in our place.

python -m bench.service.documents             measure what is missing, then write the table and the plot
python -m bench.service.documents cost        only the cost, in one run with BM25 on the same postings
python -m bench.service.documents shortcuts   only what the shortcuts lose on whole corpora
python -m bench.service.documents postings    only the comparison of posting structures
python -m bench.service.documents report      only write the table and the plot

Single trials wait in bench/results/cache until all are collected in bench/results/documents.json.
"""
