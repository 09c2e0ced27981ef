"""Recognises how a file or a query holds documents and tags, and writes the declaration that reads it.

`sampling` reads the first records, `columns` finds the id and the tags among their names, `tag_lists` finds how a value
holds several tags, `recognise` puts this together, and `declaring` writes it as TOML.
"""

from worker.recognition.declaration import (
    Section,
    corpora_file,
    corpus_name,
    declared_source,
    refuse_equal_names,
    section_corpus,
)
from worker.recognition.recognise import Recognised, Wishes, recognise

__all__ = [
    "Recognised",
    "Section",
    "Wishes",
    "corpora_file",
    "corpus_name",
    "declared_source",
    "recognise",
    "refuse_equal_names",
    "section_corpus",
]
