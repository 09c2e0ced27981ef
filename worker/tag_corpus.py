"""Builds the matrix of documents and tags. Reading stores only numbers, and each spelling and id once."""

import hashlib
from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import orjson
from numpy.typing import NDArray
from scipy.sparse import csr_array

from snapshot import Alias, normalise
from worker.card_texts import CardTexts, OrderedCards
from worker.cleaning import Cleaning
from worker.sources.document import Document
from worker.vocabulary import Vocabulary

HASHED_AT_ONCE: Final = 1000
"""Documents and cards that the fingerprint hashes at once."""


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
    rows: "array[int]" = field(default_factory=lambda: array("i"))
    spelled: "array[int]" = field(default_factory=lambda: array("i"))
    spellings: dict[str, int] = field(default_factory=dict)
    row_of: dict[str, int] = field(default_factory=dict)
    labels: list[str | None] = field(default_factory=list)
    seen_labels: dict[str, str] = field(default_factory=dict)
    cards: CardTexts = field(default_factory=CardTexts)
    replaced: int = 0

    def __post_init__(self) -> None:
        """Prepare to number spellings."""
        self.numbers = SpellingNumbers(self.spellings)

    def add(self, document: Document) -> None:
        """Add a document. In a source of pairs a known id extends its row; otherwise a new row replaces the old one."""
        row = self.row_of.get(document.id) if self.pairs else None
        if row is None:
            row = self.row_of[document.id] = len(self.labels)
            self.labels.append(None)
        if document.label is not None:
            self.labels[row] = self.seen_labels.setdefault(document.label, document.label)
        if document.card is not None:
            self.cards.put(row, document.card.encode())
        self.rows.extend([row] * len(document.tags))
        self.spelled.extend(map(self.numbers.__getitem__, document.tags))

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
        self.replaced += int((row_of < 0).sum())
        spelling_of = np.array(
            [self.spellings.setdefault(spelling, len(self.spellings)) for spelling in later.spellings], dtype=np.int32
        )
        rows = row_of[np.frombuffer(later.rows, dtype=np.int32)]
        valid = rows >= 0
        self.rows.frombytes(rows[valid].tobytes())
        if len(spelling_of):
            self.spelled.frombytes(spelling_of[np.frombuffer(later.spelled, dtype=np.int32)][valid].tobytes())


def read_entries(documents: Iterable[Document], *, pairs: bool) -> Entries:
    """Read documents into entries.

    With `pairs` the documents of one id are parts of one; otherwise the last of them replaces the others.
    """
    entries = Entries(pairs)
    for document in documents:
        entries.add(document)
    return entries


def build_corpus(entries: Entries, words: Vocabulary | None = None, cleaning: Cleaning | None = None) -> TagCorpus:
    """Build the corpus: clean and normalise tags, apply synonyms and bans, fold variants, count a tag once a document.

    The name of a tag is its commonest spelling (the first seen wins a tie).
    """
    words = words or Vocabulary()
    ids = tuple(sorted(entries.row_of))
    rows = np.fromiter((entries.row_of[name] for name in ids), dtype=np.int64, count=len(ids))
    clean = (cleaning or Cleaning()).clean
    spellings = [clean(spelling) for spelling in entries.spellings]
    forms = [normalise(spelling) for spelling in spellings]
    occurrences = _occurrences(entries, rows)
    counts = _by_form(forms, occurrences)
    key_of = words.keys(counts)
    tag_of_spelling = [key_of.get(form, "") for form in forms]
    keys = sorted({key for key in tag_of_spelling if key})
    cell_rows, cell_columns = _distinct_cells(entries, rows, tag_of_spelling, keys)
    used = np.unique(cell_columns)
    names = _commonest_spellings(spellings, forms, occurrences)
    keys = [keys[column] for column in used]
    matrix = _matrix(cell_rows, np.searchsorted(used, cell_columns), (len(ids), len(keys)))
    labels = tuple(entries.labels[row] for row in rows)
    cards = entries.cards.of(rows.tolist()) if entries.cards else None
    return TagCorpus(
        ids=ids,
        keys=tuple(keys),
        names=tuple(names.get(key) or words.written[key] for key in keys),
        labels=labels,
        matrix=matrix,
        fingerprint=_fingerprint(ids, labels, keys, matrix, cards),
        replaced=len(entries.labels) - len(ids) + entries.replaced,
        aliases=words.aliases(key_of, counts, names),
        cards=cards,
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


def _distinct_cells(
    entries: Entries, rows: NDArray[np.int64], tag_of_spelling: list[str], keys: list[str]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Row and column of every tag of every document, once each."""
    column_of = {key: column for column, key in enumerate(keys)}
    columns = np.array([column_of.get(key, -1) for key in tag_of_spelling], dtype=np.int64)
    position = np.full(len(entries.labels), -1, dtype=np.int64)
    position[rows] = np.arange(len(rows))
    spelled = np.frombuffer(entries.spelled, dtype=np.int32)
    row, column = position[np.frombuffer(entries.rows, dtype=np.int32)], columns[spelled]
    counted = (row >= 0) & (column >= 0)
    cells = np.unique(row[counted] * max(len(keys), 1) + column[counted])
    return np.divmod(cells, max(len(keys), 1))


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


def _matrix(
    rows: NDArray[np.int64], columns: NDArray[np.intp], shape: tuple[int, int]
) -> csr_array[np.float64, tuple[int, int]]:
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=shape[0]))])
    return csr_array((np.ones(len(columns)), columns.astype(np.int32), starts), shape=shape)


def _fingerprint(
    ids: tuple[str, ...],
    labels: tuple[str | None, ...],
    keys: list[str],
    matrix: csr_array[np.float64, tuple[int, int]],
    cards: OrderedCards | None,
) -> str:
    """Equal for equal documents, whatever their order and spelling in the source."""
    digest = hashlib.sha256()
    columns, starts = matrix.indices.tolist(), matrix.indptr.tolist()
    lines: list[bytes] = []
    for row, (name, label) in enumerate(zip(ids, labels, strict=True)):
        tags = map(keys.__getitem__, columns[starts[row] : starts[row + 1]])
        lines.append(orjson.dumps([name, label, *tags]))
        if cards is not None and (card := cards.get(row)):
            lines.append(b"\0" + card)
        if len(lines) >= HASHED_AT_ONCE:
            digest.update(b"".join(lines))
            lines.clear()
    digest.update(b"".join(lines))
    return digest.hexdigest()
