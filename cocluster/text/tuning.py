"""Tunes what is learnt from text on documents held out, measures it, then learns from all documents."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cocluster.equations.arrays import Sparse
from cocluster.text.fitting import BLOCK, Regression, TextSettings, fit_text, regressed_tags, word_values
from cocluster.text.mixing import Case, learn_mix
from cocluster.text.word_matrix import TaggedRows, WordMatrix
from tagmodel.language.text import TextEvidence, TextModel, features
from tagmodel.language.words import WordCounts

Beside = Callable[[tuple[int, ...]], NDArray[np.float64]]
"""What given tags say of every tag: a row of odds, and a row of mean weights for their company."""

PENALTIES: Final = (0.5, 2.0, 8.0)
NEIGHBOURHOODS: Final = ((20, 1.0), (50, 2.0), (50, 3.0))
FIRST: Final = (5, 10)
KINDS: Final = ("text", "tags", "both")


@dataclass(frozen=True, eq=False)
class Trial:
    """Which documents are held out, and what the other documents' tags say beside given tags."""

    held_out: NDArray[np.int64]
    beside: Beside
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Learnt:
    """What is served, and a record of its settings and quality: recall among the first 5 and 10."""

    model: TextModel
    record: dict[str, float]


def learn_text(data: WordMatrix, Y: Sparse, trial: Trial | None) -> Learnt:
    """Tune, mix and measure on the held-out documents of the trial, then learn from all with these settings."""
    if trial is None:
        return Learnt(fit_text(data, Y, TextSettings(), UNTUNED_MIX), {})
    training = np.setdiff1d(np.arange(Y.shape[0]), trial.held_out)
    words, tags = data.rows(training), csr_array(Y[training])
    settings = _tuned_penalty(words, tags, data, Y, trial.held_out)
    model = fit_text(words, tags, settings)
    documents = list(_held_out(data, Y, tags, trial))
    model, settings = _tuned_neighbours(model, settings, TaggedRows.of(tags), documents)
    cases = [_cases(model, TaggedRows.of(tags), document, trial.beside) for document in documents]
    mix = np.stack([learn_mix([getattr(case, kind) for case in cases]) for kind in ("text", "both", "tags")])
    record = _measured(cases)
    record |= {"penalty": settings.penalty, "neighbours": settings.neighbours, "power": settings.power}
    return Learnt(fit_text(data, Y, settings, mix), record | {"documents": len(documents), "words": len(model.words)})


UNTUNED_MIX: Final = np.array(
    [
        [0.3, 2.0, 0.3, 2.0, 0.4, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0],
        [0.3, 1.0, 0.3, 1.0, 0.3, 0.3, 0.0, 0.5, 0.5, 0.0, 0.5, 1.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0],
    ]
)
"""The mix of corpora that are too small to learn it."""


@dataclass(frozen=True, eq=False)
class _Document:
    """A held-out document: its words, the names in it, its tags that training documents have, and the half given."""

    words: WordCounts
    named: NDArray[Any]
    tags: NDArray[Any]
    given: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class _Cases:
    """The candidates of a document from its text, and beside half of its tags, with it and without."""

    text: Case
    both: Case
    tags: Case
    hidden: NDArray[np.bool_]
    """Which candidates of the text are not given."""

    size: int
    """How many tags there are to find beside those that are given; 0 if none is given."""


def _held_out(data: WordMatrix, Y: Sparse, training: Sparse, trial: Trial) -> Iterator[_Document]:
    random = np.random.default_rng(trial.seed)
    known = np.bincount(training.indices, minlength=Y.shape[1]) > 0
    words, named = data.counts, data.named
    for row in trial.held_out.tolist():
        span = slice(words.indptr[row], words.indptr[row + 1])
        tags = Y.indices[Y.indptr[row] : Y.indptr[row + 1]]
        tags = random.permutation(tags[known[tags]])
        if not len(tags):
            continue
        yield _Document(
            WordCounts(data.words[words.indices[span]], words.data[span].astype(np.int64)),
            named.indices[named.indptr[row] : named.indptr[row + 1]],
            tags,
            tuple(sorted(tags[: len(tags) // 2].tolist())),
        )


def _tuned_penalty(
    words: WordMatrix, tags: Sparse, data: WordMatrix, Y: Sparse, held_out: NDArray[np.int64]
) -> TextSettings:
    """The penalty with which words alone find most tags of the held-out documents."""
    values, columns = word_values(words), regressed_tags(tags)
    chosen = values.commonest
    if not len(columns) or not len(chosen):
        return TextSettings()
    regression = Regression(csr_array(values.matrix[:, chosen]), csr_array(tags[:, columns]))
    places = np.searchsorted(words.words, values.words[chosen])
    queries = csr_array(data.counts[held_out][:, places])
    queries.data = (1.0 + np.log(queries.data)) * values.idf[chosen][queries.indices]
    truth = csr_array(Y[held_out][:, columns])
    recalls = []
    for penalty in PENALTIES:
        solver = regression.weights(penalty)
        blocks = [queries @ solver.block(start) for start in range(0, len(columns), BLOCK)]
        recalls.append(_dense_recall(np.concatenate(blocks, axis=1), truth))
    return TextSettings(penalty=PENALTIES[int(np.argmax(recalls))])


def _dense_recall(scores: NDArray[np.float32], truth: Sparse) -> float:
    """Recall among the first ten, for documents with any of these tags."""
    first = min(FIRST[-1], scores.shape[1])
    best = np.argpartition(-scores, first - 1, axis=1)[:, :first]
    sizes = np.diff(truth.indptr)
    hits = np.take_along_axis(np.asarray(truth.toarray()), best, axis=1).sum(axis=1)
    return float((hits / np.maximum(np.minimum(sizes, first), 1))[sizes > 0].mean()) if sizes.any() else 0.0


def _tuned_neighbours(
    model: TextModel, settings: TextSettings, training: TaggedRows, documents: list[_Document]
) -> tuple[TextModel, TextSettings]:
    """How many neighbours vote, and with which power: by the recall of their votes."""
    best, most = (model, settings), -1.0
    for neighbours, power in NEIGHBOURHOODS:
        tried = replace(model, neighbourhood=np.array([neighbours, power]))
        recalls = []
        for document in documents[:: max(len(documents) // 500, 1)]:
            found = tried.evidence_of(training, document.words, document.named)
            first = found.tags[np.argsort(-found.votes, kind="stable")[: FIRST[-1]]]
            recalls.append(np.isin(first, document.tags).sum() / min(FIRST[-1], len(document.tags)))
        recall = float(np.mean(recalls)) if recalls else 0.0
        if recall > most:
            best, most = (tried, replace(settings, neighbours=neighbours, power=power)), recall
    return best


def _cases(model: TextModel, training: TaggedRows, document: _Document, beside_of: Beside) -> _Cases:
    found = model.evidence_of(training, document.words, document.named)
    beside = beside_of(document.given) if document.given else np.zeros((2, len(model.popularity)))
    hidden = np.setdiff1d(document.tags, document.given)
    given = np.array(document.given, dtype=np.int64)
    candidates = np.setdiff1d(np.union1d(found.tags, np.flatnonzero(beside.any(axis=0))), given)
    return _Cases(
        _case(model, found, found.tags, document.tags, None),
        _case(model, found, candidates, hidden, beside),
        Case(_by_tags_alone(model, candidates, beside), np.isin(candidates, hidden)),
        ~np.isin(found.tags, given),
        len(hidden) if document.given else 0,
    )


def _by_tags_alone(model: TextModel, tags: NDArray[np.int64], beside: NDArray[np.float64]) -> NDArray[np.float64]:
    nothing = np.zeros(len(tags))
    return features(nothing, nothing, nothing, model.popularity[tags], beside[:, tags])


def _case(
    model: TextModel,
    found: TextEvidence,
    tags: NDArray[np.int64],
    right: NDArray[np.int64],
    beside: NDArray[np.float64] | None,
) -> Case:
    votes, weights, chances = model.spread(found, tags)
    said = None if beside is None else beside[:, tags]
    return Case(features(votes, weights, chances, model.popularity[tags], said), np.isin(tags, right))


def _measured(cases: list[_Cases]) -> dict[str, float]:
    """Recall of the hidden half of the tags: from the text, from the other half, and from both.

    The mix was learnt on the other half of the held-out documents.
    """
    recalls: dict[str, list[float]] = {f"{kind}_recall_{first}": [] for kind in KINDS for first in FIRST}
    halves = (cases[::2], cases[1::2])
    for learnt, asked in (halves, halves[::-1]):
        mixes = [learn_mix([getattr(case, kind) for case in learnt])[:-1] for kind in KINDS]
        for case in asked:
            if not case.size:
                continue
            scored = [
                (getattr(case, kind).features @ mix, getattr(case, kind).right)
                for kind, mix in zip(KINDS, mixes, strict=True)
            ]
            scored[0] = scored[0][0][case.hidden], scored[0][1][case.hidden]
            for kind, (scores, right) in zip(KINDS, scored, strict=True):
                for first in FIRST:
                    recalls[f"{kind}_recall_{first}"].append(_recall(scores, right, case.size, first))
    return {name: round(float(np.mean(each)), 6) for name, each in recalls.items() if each}


def _recall(scores: NDArray[np.float64], right: NDArray[np.bool_], size: int, first: int) -> float:
    """The share of the tags to find that are among the first, of those that could be."""
    best = np.argsort(-scores, kind="stable")[:first]
    return float(right[best].sum()) / min(first, size)
