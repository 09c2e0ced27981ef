"""Builds the matrix of documents and tags. Reading stores only numbers, and each spelling and id once."""

import hashlib
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Final

import numpy as np
import orjson
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from snapshot import Alias, normalise
from worker.sources.blocks import DocumentBlock
from worker.sources.cleaning import Cleaning
from worker.vocabulary.card_texts import CardTexts, OrderedCards
from worker.vocabulary.rules import Vocabulary

LEAST_SHARE: Final = 0.2
"""Where a corpus has weights: a tag with less than this share of the weight of its document's strongest is left out."""

HASHED_AT_ONCE: Final = 1000
"""Texts that the fingerprint hashes at once."""


@dataclass(frozen=True, eq=False)
class TagCorpus:
    """All documents as one 0/1 matrix, documents × tags, before any tag is left out.

    Documents are sorted by id and tags by key, so that their order in the source does not matter.
    """

    ids: tuple[str, ...]
    keys: tuple[str, ...]
    names: tuple[str, ...]
    labels: tuple[str | None, ...]
    matrix: csr_array[np.float64, tuple[int, int]]
    fingerprint: str
    replaced: int = 0
    aliases: tuple[Alias, ...] = ()
    cards: OrderedCards | None = None
    """None if no document has a card."""

    texts: OrderedCards | None = None
    """What tags are learnt from, beside the titles; None if no document has a text."""


class SpellingNumbers(dict[str, int]):
    """The number of each tag as a source writes it; spellings that differ in white space share one.

    A tag that was met before is found without a call of Python code.
    """

    def __init__(self, spellings: dict[str, int]) -> None:
        super().__init__()
        self._spellings = spellings

    def __missing__(self, tag: str) -> int:
        number = self[tag] = self._spellings.setdefault(" ".join(tag.split()), len(self._spellings))
        return number


@dataclass
class Entries:
    """What reading stores: for each tag of a document, the row of the document and the number of the spelling."""

    pairs: bool
    weighted: bool = False
    """Whether tags have weights; otherwise each counts 1, and `weights` stays empty."""

    weights: "array[float]" = field(default_factory=lambda: array("f"))
    rows: "array[int]" = field(default_factory=lambda: array("i"))
    spelled: "array[int]" = field(default_factory=lambda: array("i"))
    spellings: dict[str, int] = field(default_factory=dict)
    row_of: dict[str, int] = field(default_factory=dict)
    labels: list[str | None] = field(default_factory=list)
    seen_labels: dict[str, str] = field(default_factory=dict)
    cards: CardTexts = field(default_factory=CardTexts)
    texts: CardTexts = field(default_factory=CardTexts)
    replaced: int = 0

    def __post_init__(self) -> None:
        """Prepare to number spellings."""
        self.numbers = SpellingNumbers(self.spellings)

    def add(self, block: DocumentBlock) -> None:
        """Add documents. In a source of pairs a known id extends its row; otherwise a new row replaces the old one."""
        rows = self._rows_of(block.ids)
        for row, label in zip(rows, block.labels or (), strict=False):
            if label is not None:
                self.labels[row] = self.seen_labels.setdefault(label, label)
        for row, card in zip(rows, block.cards or (), strict=False):
            if card is not None:
                self.cards.put(row, card.encode())
                if card.text is not None:
                    self.texts.put(row, card.text.encode(errors="replace"))
        self.rows.frombytes(np.repeat(np.array(rows, dtype=np.int32), list(map(len, block.tags))).tobytes())
        self.spelled.extend(map(self.numbers.__getitem__, chain.from_iterable(block.tags)))
        if self.weighted:
            for tags, weights in zip(block.tags, block.weights or [None] * len(block.tags), strict=True):
                self.weights.extend(weights or [1.0] * len(tags))

    def _rows_of(self, ids: Sequence[str]) -> Sequence[int]:
        """The rows of documents with these ids, new where a document begins."""
        begin = len(self.labels)
        if self.pairs:
            rows: Sequence[int] = [self.row_of.setdefault(name, len(self.row_of)) for name in ids]
            self.labels += [None] * (len(self.row_of) - begin)
        else:
            rows = range(begin, begin + len(ids))
            self.row_of.update(zip(ids, rows, strict=True))
            self.labels += [None] * len(ids)
        return rows

    def extend(self, later: "Entries") -> None:
        """Append the entries of another reader, as if this one had read them next."""
        row_of = np.full(len(later.labels), -1, dtype=np.int32)  # −1: replaced by a later document of the same shard
        for name, old in later.row_of.items():
            row = self.row_of.get(name) if self.pairs else None
            if row is None:
                row = self.row_of[name] = len(self.labels)
                self.labels.append(None)
            row_of[old] = row
            label = later.labels[old]
            if label is not None:
                self.labels[row] = self.seen_labels.setdefault(label, label)
            if card := later.cards.get(old):
                self.cards.put(row, card)
            if text := later.texts.get(old):
                self.texts.put(row, text)
        self.replaced += int((row_of < 0).sum())
        spelling_of = np.array(
            [self.spellings.setdefault(spelling, len(self.spellings)) for spelling in later.spellings], dtype=np.int32
        )
        rows = row_of[np.frombuffer(later.rows, dtype=np.int32)]
        valid = rows >= 0
        self.rows.frombytes(rows[valid].tobytes())
        if self.weighted:
            self.weights.frombytes(np.frombuffer(later.weights, dtype=np.float32)[valid].tobytes())
        if len(spelling_of):
            self.spelled.frombytes(spelling_of[np.frombuffer(later.spelled, dtype=np.int32)][valid].tobytes())


def without_weak_tags(entries: Entries) -> Entries:
    """The entries of tags that have at least a `LEAST_SHARE` of the weight of their document's strongest.

    Weights of the same tag add up, so in pairs of user, document and tag the weight is the number of users.
    """
    rows = np.frombuffer(entries.rows, dtype=np.int32)
    spelled = np.frombuffer(entries.spelled, dtype=np.int32)
    cells = rows.astype(np.int64) * len(entries.spellings) + spelled
    different, cell = np.unique(cells, return_inverse=True)
    sums = np.bincount(cell, weights=np.frombuffer(entries.weights, dtype=np.float32))
    strongest = np.zeros(len(entries.labels))
    np.maximum.at(strongest, different // max(len(entries.spellings), 1), sums)
    kept = sums[cell] >= LEAST_SHARE * strongest[rows]
    return replace(
        entries, weighted=False, weights=array("f"), rows=array("i", rows[kept]), spelled=array("i", spelled[kept])
    )


def read_entries(blocks: Iterable[DocumentBlock], *, pairs: bool, weighted: bool = False) -> Entries:
    """Read documents into entries.

    With `pairs` the documents of one id are parts of one; otherwise the last of them replaces the others.
    """
    entries = Entries(pairs, weighted)
    for block in blocks:
        entries.add(block)
    return entries


def build_corpus(entries: Entries, words: Vocabulary | None = None, cleaning: Cleaning | None = None) -> TagCorpus:
    """Build the corpus: clean and normalise tags, apply synonyms and bans, fold variants, add implied tags.

    A tag counts once a document. The name of a tag is its commonest spelling (the first seen wins a tie).
    """
    words = words or Vocabulary()
    entries = without_weak_tags(entries) if entries.weighted else entries
    ids = tuple(sorted(entries.row_of))
    rows = np.fromiter(map(entries.row_of.__getitem__, ids), dtype=np.int64, count=len(ids))
    clean = (cleaning or Cleaning()).clean
    spellings = [clean(spelling) for spelling in entries.spellings]
    forms = [normalise(spelling) for spelling in spellings]
    occurrences = _occurrences(entries, rows)
    counts = _by_form(forms, occurrences)
    key_of = words.keys(counts)
    tag_of_spelling = [key_of.get(form, "") for form in forms]
    matrix, keys = _matrix(entries, rows, tag_of_spelling, words.implications(key_of))
    names = _commonest_spellings(spellings, forms, occurrences)
    labels = tuple(map(entries.labels.__getitem__, rows.tolist()))
    cards = entries.cards.of(rows.tolist()) if entries.cards else None
    texts = entries.texts.of(rows.tolist()) if entries.texts else None
    return TagCorpus(
        ids=ids,
        keys=keys,
        names=tuple(names.get(key) or words.written.get(key, key) for key in keys),
        labels=labels,
        matrix=matrix,
        fingerprint=_fingerprint(ids, labels, keys, matrix, (cards, texts)),
        replaced=len(entries.labels) - len(ids) + entries.replaced,
        aliases=words.aliases(key_of, counts, names),
        cards=cards,
        texts=texts,
    )


def _occurrences(entries: Entries, rows: NDArray[np.int64]) -> list[int]:
    """How often each spelling occurs in the documents of these rows."""
    kept = np.zeros(len(entries.labels), dtype=np.bool_)
    kept[rows] = True
    spelled = np.frombuffer(entries.spelled, dtype=np.int32)[kept[np.frombuffer(entries.rows, dtype=np.int32)]]
    counts: list[int] = np.bincount(spelled, minlength=len(entries.spellings)).tolist()
    return counts


def _by_form(forms: list[str], occurrences: list[int]) -> dict[str, int]:
    """How often each normalised form occurs; none that does not."""
    counts: dict[str, int] = {}
    for form, count in zip(forms, occurrences, strict=True):
        if form and count:
            counts[form] = counts.get(form, 0) + count
    return counts


def _matrix(
    entries: Entries, rows: NDArray[np.int64], tag_of_spelling: list[str], implied: Mapping[str, list[str]]
) -> tuple[csr_array[np.float64, tuple[int, int]], tuple[str, ...]]:
    """The documents of these rows × their tags, each tag once a document; and the tags, in order."""
    tags = sorted({tag for tag in chain(tag_of_spelling, *implied.values()) if tag})
    column_of = {tag: column for column, tag in enumerate(tags)}
    columns = np.array([column_of.get(tag, -1) for tag in tag_of_spelling], dtype=np.int32)
    position = np.full(len(entries.labels), -1, dtype=np.int32)
    position[rows] = np.arange(len(rows), dtype=np.int32)
    row = position[np.frombuffer(entries.rows, dtype=np.int32)]
    column = columns[np.frombuffer(entries.spelled, dtype=np.int32)]
    counted = (row >= 0) & (column >= 0)
    cells = row[counted], column[counted]
    once = coo_array((np.ones(len(cells[0]), dtype=np.bool_), cells), shape=(len(rows), len(tags))).tocsr()
    if implied:
        once = _with_implied(once, column_of, implied)
    used = np.bincount(once.indices, minlength=len(tags)) > 0
    place = np.cumsum(used, dtype=np.int32) - 1
    matrix = csr_array((np.ones(once.nnz), place[once.indices], once.indptr), shape=(len(rows), int(used.sum())))
    return matrix, tuple(tags[column] for column in np.flatnonzero(used).tolist())


def _with_implied(
    once: csr_array[np.bool_, tuple[int, int]], column_of: Mapping[str, int], implied: Mapping[str, list[str]]
) -> csr_array[np.bool_, tuple[int, int]]:
    """The matrix with the implied tags of each document."""
    pairs = [(column_of[tag], column_of[to]) for tag, targets in implied.items() if tag in column_of for to in targets]
    cells = tuple(np.array(pairs, dtype=np.int32).reshape(-1, 2).T)
    implications = coo_array((np.ones(len(pairs), dtype=np.bool_), cells), shape=(once.shape[1],) * 2).tocsr()
    together: csr_array[np.bool_, tuple[int, int]] = (once + once @ implications).tocsr()
    together.sort_indices()
    return together


def _commonest_spellings(spellings: list[str], forms: list[str], occurrences: list[int]) -> dict[str, str]:
    """The commonest spelling of each form. A synonym or variant counts for its tag, but its spelling does not."""
    total: Counter[str] = Counter()
    for spelling, count in zip(spellings, occurrences, strict=True):
        total[spelling] += count
    commonest: dict[str, tuple[int, str]] = {}
    for spelling, form in zip(spellings, forms, strict=True):
        count = total[spelling]
        if count > commonest.get(form, (0, ""))[0]:
            commonest[form] = (count, spelling)
    return {form: spelling for form, (_, spelling) in commonest.items()}


def _fingerprint(
    ids: tuple[str, ...],
    labels: tuple[str | None, ...],
    keys: tuple[str, ...],
    matrix: csr_array[np.float64, tuple[int, int]],
    written: tuple[OrderedCards | None, ...],
) -> str:
    """Equal for equal documents, whatever their order and spelling in the source."""
    digest = hashlib.sha256(orjson.dumps([*matrix.shape, matrix.nnz]))
    for texts in (ids, labels, keys):
        for start in range(0, len(texts), HASHED_AT_ONCE):
            digest.update(orjson.dumps(texts[start : start + HASHED_AT_ONCE]))
    digest.update(matrix.indptr.astype("<i8").tobytes())
    digest.update(matrix.indices.astype("<i4").tobytes())
    for part in written:
        if part is not None:
            digest.update(part.starts.astype("<i8").tobytes())
            digest.update(part.text)
    return digest.hexdigest()
