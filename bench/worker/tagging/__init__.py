"""Tags for documents that nobody tagged: recall from the text, from half of the tags, and from both, beside rivals.

python -m bench.worker.tagging [CORPUS …]

Learns from four fifths of the documents with titles and texts (../shared/corpora), asks about the others, and writes
bench/results/tagging.md. Recall is the share of the tags to find that are among the first 5 or 10, of those that could
be; tags in fewer than five training documents do not count. Each setting of a rival is chosen on training documents.
"""
