"""Reads a corpora file that must have no fault."""

from worker.corpora.declaration import read_sections


def read_corpora(path):
    """All corpora of a file by name, or CorpusError with all its faults."""
    sections = read_sections(path)
    if sections.error is not None:
        raise sections.error
    return sections.corpora
