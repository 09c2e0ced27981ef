"""Who is measured. A ranker learns from a split and gives the scores of all tags for a document.

Each scores by what it can: `title` and `text`, the `given` tags, or both.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix

from bench.worker.suggest.rivals import ease
from bench.worker.tagging.splits import Asked, Split
from cocluster.text.fitting import name_chances
from cocluster.text.word_matrix import TaggedRows, word_matrix
from tagmodel.language.words import phrases_of
from tagmodel.related import popularity_factors
from worker.suggestions import learn_from_text, suggestions

POPULAR: Final = 0.0

WORDS: Final = r"[^\W_]+"

Scores = Callable[[Asked], NDArray[np.float64]]


@dataclass(frozen=True)
class Ranker:
    """What it scores by, how it learns, and how many bytes it keeps."""

    name: str
    by: tuple[str, ...]
    fit: Callable[[Split], tuple[dict[str, Scores], int]]


def ours(split: Split) -> tuple[dict[str, Scores], int]:
    """As a run learns and the service suggests."""
    related = suggestions(split.matrix, 5)
    model = learn_from_text(split.tagged, split.matrix, split.whole, (), related).model
    index = TaggedRows.of(split.matrix.matrix)
    counts = np.bincount(split.matrix.matrix.indices, minlength=len(split.keys))
    weights = related.related
    factors = [popularity_factors(counts, weights.popularity_exponent(POPULAR, size)) for size in (1, 2)]

    def said(given: tuple[int, ...]) -> NDArray[np.float64]:
        found, beside = weights.candidates(given), np.zeros((2, len(counts)))
        beside[0, found.tags] = found.odds * factors[len(given) > 1][found.tags]
        beside[1] = weights.company(given)
        return beside

    def by_text(document: Asked) -> NDArray[np.float64]:
        found, scores = model.evidence(index, document.title, document.text), np.zeros(len(counts))
        scores[found.tags] = model.scores(found, found.tags)
        return scores

    def by_both(document: Asked) -> NDArray[np.float64]:
        found, beside = model.evidence(index, document.title, document.text), said(document.given)
        tags, scores = np.union1d(found.tags, np.flatnonzero(beside.any(axis=0))), np.zeros(len(counts))
        scores[tags] = model.scores(found, tags, beside[:, tags])
        return scores

    def by_tags(document: Asked) -> NDArray[np.float64]:
        beside = said(document.given)
        tags, scores = np.flatnonzero(beside.any(axis=0)), np.zeros(len(counts))
        scores[tags] = model.tag_scores(tags, beside[:, tags])
        return scores

    size = model.nbytes + sum(array.nbytes for array in vars(weights).values() if isinstance(array, np.ndarray))
    return {"text": by_text, "tags": by_tags, "both": by_both}, size


def popularity(split: Split) -> tuple[dict[str, Scores], int]:
    counts = np.bincount(split.matrix.matrix.indices, minlength=len(split.keys)).astype(np.float64)
    return dict.fromkeys(("text", "tags", "both"), lambda _: counts), counts.nbytes


def names(split: Split) -> tuple[dict[str, Scores], int]:
    """The words of the text that are tags, those first that hold most often."""
    data = word_matrix(split.texts(), [[key] for key in split.keys])
    chances = name_chances(data, split.matrix.matrix)

    def by_text(document: Asked) -> NDArray[np.float64]:
        scores = np.zeros(len(split.keys))
        named = np.isin(data.phrases, phrases_of(document.title, document.text))
        np.maximum.at(scores, data.phrase_tags[named], chances[named])
        return scores

    return {"text": by_text}, data.phrases.nbytes + chances.nbytes


class _Vectors:
    """TF-IDF of words, by scikit-learn."""

    def __init__(self, split: Split) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415 - only some rivals need it

        self._vectors = TfidfVectorizer(sublinear_tf=True, min_df=2, token_pattern=WORDS)
        texts = [f"{title}\n{text}" for title, text in split.texts()]
        self.matrix: Any = csr_matrix(self._vectors.fit_transform(texts))

    def of(self, document: Asked) -> Any:
        return self._vectors.transform([f"{document.title}\n{document.text}"])


def neighbours(split: Split) -> tuple[dict[str, Scores], int]:
    """The documents of the largest cosine vote by its square; how many is chosen on training documents."""
    vectors, tags = _Vectors(split), split.matrix.matrix

    def votes(document: Any, most: int, own: int | None = None) -> NDArray[np.float64]:
        likeness = np.asarray((vectors.matrix @ document.T).todense()).ravel()
        if own is not None:
            likeness[own] = 0.0
        best = np.argpartition(-likeness, most)[:most]
        return np.asarray(tags[best].T @ likeness[best] ** 2)

    rows = np.random.default_rng(0).choice(tags.shape[0], 200, replace=False).tolist()
    truth = {row: tags.indices[tags.indptr[row] : tags.indptr[row + 1]] for row in rows}
    recalls = {
        most: np.mean([recall(votes(vectors.matrix[[row]], most, row), truth[row], (), 10) for row in rows])
        for most in (10, 20, 50, 100)
    }
    most = max(recalls, key=lambda each: recalls[each])
    size = vectors.matrix.data.nbytes + vectors.matrix.indices.nbytes
    return {"text": lambda document: votes(vectors.of(document), most)}, size


def logistic(split: Split) -> tuple[dict[str, Scores], int]:
    """One logistic regression a tag (scikit-learn, liblinear); C chosen on training documents."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - as above
    from sklearn.multiclass import OneVsRestClassifier  # noqa: PLC0415

    vectors = _Vectors(split)
    X, Y = _narrow(vectors.matrix), _narrow(csr_matrix(split.matrix.matrix))
    held_out = np.arange(X.shape[0]) % 5 == 0
    recalls = {}
    for C in (1.0, 10.0, 100.0):
        kept = np.flatnonzero(np.bincount(Y[~held_out].indices, minlength=Y.shape[1]) > 0)
        tried = OneVsRestClassifier(LogisticRegression(C=C, solver="liblinear"))
        tried.fit(X[~held_out], Y[~held_out][:, kept])
        asked, truth = tried.decision_function(X[held_out][:500]), Y[held_out][:500][:, kept]
        found = [truth.indices[truth.indptr[row] : truth.indptr[row + 1]] for row in range(truth.shape[0])]
        recalls[C] = np.mean([recall(row, each, (), 10) for row, each in zip(asked, found, strict=True) if len(each)])
        print(f"    C = {C:g}: {recalls[C]:.4f}", file=sys.stderr, flush=True)
    best = max(recalls, key=lambda each: recalls[each])
    model = OneVsRestClassifier(LogisticRegression(C=best, solver="liblinear")).fit(X, Y)
    size = sum(each.coef_.nbytes for each in model.estimators_)
    return {"text": lambda document: np.asarray(model.decision_function(vectors.of(document))).ravel()}, size


def _narrow(matrix: Any) -> Any:
    """With indices of 32 bits, as scikit-learn demands."""
    matrix = csr_matrix(matrix)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    return matrix


def ease_of_tags(split: Split) -> tuple[dict[str, Scores], int]:
    """EASE as published; λ chosen on training documents of which half of the tags is hidden."""
    matrix, random = split.matrix.matrix, np.random.default_rng(0)
    held_out = np.arange(matrix.shape[0]) % 5 == 0
    asked = []
    for row in np.flatnonzero(held_out)[:500].tolist():
        tags = random.permutation(matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]])
        if len(tags) > 1:
            asked.append((tuple(tags[: len(tags) // 2].tolist()), tags[len(tags) // 2 :]))
    recalls = {}
    for penalty in (2.0, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0):
        scores = ease(csr_array(matrix[~held_out]), penalty)
        rows = scores(_queries([given for given, _ in asked], matrix.shape[1]))
        recalls[penalty] = np.mean(
            [recall(row, hidden, given, 10) for row, (given, hidden) in zip(rows, asked, strict=True)]
        )
    best = max(recalls, key=lambda each: recalls[each])
    weights = ease(matrix, best)
    size = 4 * matrix.shape[1] ** 2
    return {"tags": lambda document: weights(_queries([document.given], matrix.shape[1]))[0]}, size


def _queries(given: list[tuple[int, ...]], width: int) -> Any:
    rows = np.repeat(np.arange(len(given)), [len(each) for each in given])
    columns = [tag for each in given for tag in each]
    return csr_array((np.ones(len(columns)), (rows, columns)), shape=(len(given), width))


def recall(scores: NDArray[Any], wanted: NDArray[Any], given: tuple[int, ...], first: int) -> float:
    """The share of the wanted tags among the first, of those that could be; tags without a score are not listed."""
    ranked = np.asarray(scores, dtype=np.float64).copy()
    ranked[list(given)] = -np.inf
    best = np.argpartition(-ranked, first)[:first]
    return float(np.isin(best[ranked[best] != 0], wanted).sum()) / min(first, len(wanted))


RANKERS: Final = (
    Ranker("Cotag", ("text", "tags", "both"), ours),
    Ranker("popularity", ("text", "tags", "both"), popularity),
    Ranker("words that are tags", ("text",), names),
    Ranker("nearest neighbours, TF-IDF", ("text",), neighbours),
    Ranker("logistic regression, one-vs-rest", ("text",), logistic),
    Ranker("EASE", ("tags",), ease_of_tags),
)
