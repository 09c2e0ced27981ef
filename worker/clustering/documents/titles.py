"""The words of titles that are no tags: a query finds documents by them, too."""

from array import array
from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from snapshot import Texts, words_of_title
from snapshot.version.documents.cards import decode_card
from tagmodel.index.document_index import TitleIndex
from worker.vocabulary.tag_corpus import TagCorpus

SHORTEST: Final = 2
SHORTEST_OF_ID: Final = 3
"""Letters of a word. Ids are often numbers or codes, so only longer words of letters alone count there."""


def title_words(tagged: TagCorpus, rows: Iterable[int], keys: Iterable[str]) -> tuple[Texts, TitleIndex]:
    """The words, sorted, and the documents of each: positions in these rows. `keys` are those of all tags.

    Where no document has a title, pages show the ids instead, so their words count.
    """
    tags = {split[0] for key in keys if len(split := words_of_title(key)) == 1}
    rows = list(rows)
    words = list(_words_of_titles(tagged, rows)) if tagged.cards is not None else []
    if not any(words):
        words = list(_words_of_ids(tagged, rows))
    documents: dict[str, array[int]] = {}
    for position, of_document in enumerate(words):
        for word in of_document:
            if word not in tags:
                documents.setdefault(word, array("I")).append(position)
    found = sorted((word.encode(), postings) for word, postings in documents.items())
    starts = np.cumsum([0, *(len(postings) for _, postings in found)], dtype=np.int64)
    joined = array("I")
    for _, postings in found:
        joined.extend(postings)
    return Texts.of(word for word, _ in found), TitleIndex(starts, np.array(joined, dtype=np.uint32))


def _words_of_titles(tagged: TagCorpus, rows: Iterable[int]) -> Iterator[set[str]]:
    for row in rows:
        title = None if tagged.cards is None else decode_card(tagged.cards.get(row)).title
        yield {word for word in words_of_title(title) if len(word) >= SHORTEST} if title else set()


def _words_of_ids(tagged: TagCorpus, rows: Iterable[int]) -> Iterator[set[str]]:
    for row in rows:
        words = words_of_title(tagged.ids[row])
        yield {word for word in words if len(word) >= SHORTEST_OF_ID and word.isalpha()}
