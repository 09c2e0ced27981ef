"""Which tags a document has: cleaned, folded, with synonyms and bans, and the matrix that this gives.

Entry point: `tag_corpus.build_corpus`.
"""
