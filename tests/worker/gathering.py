"""Documents as a matrix, as a run gathers them."""

from worker.sources.blocks import in_blocks
from worker.vocabulary.tag_corpus import build_corpus, read_entries


def gather(documents, words=None, *, pairs=False):
    """Documents as a matrix, without a corpus that declares where they are."""
    return build_corpus(read_entries(in_blocks(documents), pairs=pairs), words)
