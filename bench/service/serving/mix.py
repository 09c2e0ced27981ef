"""What is asked: mostly common tags, some rare ones, and some queries of several tags."""

import random
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, Literal
from urllib.parse import quote, urlencode

import numpy as np

from bench.service.serving.corpora import Served

QUERIES: Final = 240
ZIPF: Final = 0.6
UNIFORM: Final = 0.2
"""Shares of queries: single tags by Zipf's law, single tags that are all as likely; the rest are several tags."""

SEVERAL: Final = (2, 3, 4)
"""How many tags of one document make a query of several."""

PAGES: Final = frozenset({"page", "results"})
"""The search page without documents, and with those of the query under its cloud."""

Kind = Literal["all", "one", "several"]


@dataclass(frozen=True)
class Query:
    """One query: its tags, and whether it is sent as free text."""

    tags: tuple[str, ...]
    free: bool

    def path(self, question: str, prefix: str) -> str:
        """The path that asks a question; the questions "page" and "results" are the search page."""
        if question in PAGES:
            return f"/?q={quote(' '.join(self.tags))}"
        pairs = [("q", " ".join(self.tags))] if self.free else [("tag", tag) for tag in self.tags]
        return f"{prefix}/{question}?{urlencode(pairs, quote_via=quote)}"


@dataclass(frozen=True)
class Mix:
    """Queries in the order in which they are sent."""

    queries: tuple[Query, ...]

    def of(self, kind: Kind) -> tuple[Query, ...]:
        """All of them, or only those of one tag or of several."""
        return tuple(each for each in self.queries if kind == "all" or (len(each.tags) == 1) == (kind == "one"))


def mixed(corpus: Served, seed: int = 1) -> Mix:
    """The mix for a corpus; the same seed gives the same queries."""
    chosen = random.Random(seed)
    names = corpus.snapshot.names
    ranked = np.argsort(-corpus.snapshot.counts, kind="stable").tolist()
    weights = list(accumulate(1 / rank for rank in range(1, len(names) + 1)))
    zipf, uniform = round(ZIPF * QUERIES), round(UNIFORM * QUERIES)
    found = [Query((names[tag],), free=False) for tag in chosen.choices(ranked, cum_weights=weights, k=zipf)]
    found += [Query((names[chosen.randrange(len(names))],), free=False) for _ in range(uniform)]
    starts = corpus.incidence.indptr
    (documents,) = np.nonzero(np.diff(starts) >= min(SEVERAL))
    for number in range(QUERIES - zipf - uniform):
        document = int(documents[chosen.randrange(len(documents))])
        tags = corpus.incidence.indices[starts[document] : starts[document + 1]].tolist()
        some = chosen.sample(tags, min(chosen.choice(SEVERAL), len(tags)))
        found.append(Query(tuple(names[tag] for tag in some), free=number % 2 == 1))
    chosen.shuffle(found)
    return Mix(tuple(found))
