"""Says why a tag is suggested: by the words of the text, by documents like it, or by the tags beside it."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.answers import SuggestReason
from service.answers.tagging import ReasonKind
from service.view.view import View
from tagmodel.language.text import TextEvidence, words_behind
from tagmodel.language.words import TITLE_MARK, hashed, text_words

MOST_WORDS: Final = 3
MOST_DOCUMENTS: Final = 2
MOST_TAGS: Final = 3
SPEAKING: Final = 0.02
"""A tag with less than this share of the votes has no documents as a reason, and by the words alone no words."""


@dataclass(frozen=True, eq=False)
class Said:
    """All that is known of a document: its words, its tags, what the words say, and what the tags say."""

    title: str
    text: str
    known: tuple[int, ...]
    found: TextEvidence | None
    beside: NDArray[np.float64] | None


def reasons(view: View, said: Said, tags: NDArray[np.intp]) -> list[list[SuggestReason]]:
    """The reasons of each of these tags, the words first."""
    words = list(dict.fromkeys(text_words(f"{said.title}\n{said.text}"))) if said.found is not None else []
    numbers = hashed(words)
    written = [*words, *words], np.concatenate([numbers, numbers ^ TITLE_MARK])
    return [[*_by_text(view, said, tag, written), *_by_tags(view, said, tag)] for tag in tags.tolist()]


def _by_text(
    view: View, said: Said, tag: int, written: tuple[list[str], NDArray[np.uint64]]
) -> Iterable[SuggestReason]:
    found = said.found
    if found is None:
        return
    words = words_behind(found, tag, *written, MOST_WORDS)
    place = int(np.searchsorted(found.tags, tag))
    there = place < len(found.tags) and found.tags[place] == tag
    if there and found.chances[place] > 0:
        named = [word for word in text_words(view.tag_keys[tag]) if word in written[0]]
        words = list(dict.fromkeys([*named, *words]))[:MOST_WORDS]
    if words and there and (found.weights[place] > SPEAKING or found.chances[place] > 0):
        yield reason("words", words=words)
    if there and found.votes[place] > SPEAKING:
        documents = view.documents
        like = (
            name
            for document in found.neighbours.tolist()
            if tag in documents.index.tags_of(document)
            and documents.position(name := documents.id(document)) == document  # deleted since the run otherwise
        )
        yield reason("documents", documents=list(islice(like, MOST_DOCUMENTS)))


def _by_tags(view: View, said: Said, tag: int) -> Iterable[SuggestReason]:
    """The given tags with the largest weights for a tag."""
    if said.beside is None or not said.beside[:, tag].any():
        return
    related = view.snapshot.related
    weights = []
    for given in said.known:
        if view.is_tail(given) or view.is_tail(tag):
            continue
        listed = np.flatnonzero(related.indices[related.span(given)] == tag)
        if len(listed):
            weights.append((float(related.weights(given, len(said.known))[listed[0]]), given))
    tags = [view.tag_names[given] for weight, given in sorted(weights, reverse=True)[:MOST_TAGS] if weight > 0]
    yield reason("tags", tags=tags or [view.tag_names[given] for given in said.known[:MOST_TAGS]])


def reason(
    kind: ReasonKind,
    *,
    words: list[str] | None = None,
    documents: list[str] | None = None,
    tags: list[str] | None = None,
) -> SuggestReason:
    """A reason with its sentence."""
    names = words or documents or tags or []
    sentences = {
        "words": f"the {'word' if len(names) == 1 else 'words'} {_listed([f'“{name}”' for name in names])}",
        "documents": f"documents like {_listed(names)}",
        "tags": f"usual beside {_listed(names)}",
    }
    return {
        "kind": kind,
        "words": words or [],
        "documents": documents or [],
        "tags": tags or [],
        "sentence": sentences[kind],
    }


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
