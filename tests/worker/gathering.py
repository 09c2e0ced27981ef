from worker.tag_corpus import assembled, entries_of


def gather(documents, words=None, *, pairs=False):
    """Documents as a matrix, without a corpus that declares where they are."""
    return assembled(entries_of(documents, pairs=pairs), words)
