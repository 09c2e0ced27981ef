"""Random proposals of real corpora, and what a reader said of each."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import orjson

from bench.worker.folding.judged import folded
from cocluster import CoClustering, Incidence, incidence
from cocluster.tags.relations import head_words, implications
from snapshot import PROPOSAL_KINDS, Proposal, ProposalKind
from worker.clustering.concepts import cut_model
from worker.proposals import propose
from worker.proposals.relations import nested_names
from worker.vocabulary.breadth import breadth
from worker.vocabulary.folding import Folding

CLAIMS: Final = tuple(kind for kind in PROPOSAL_KINDS if kind != "staged")
"""Kinds that claim something. A staged tag only waits."""

FILE: Final = Path(__file__).parent / "judgements.tsv"
TUNED: Final = ("lastfm_artists", "tabler_icons", "whatscooking")
"""The limits of the kinds were chosen on these."""

FRESH: Final = ("radio_large", "citeulike_a")
"""Nothing was chosen on these: their figures decide which kinds are shown."""

PAIRS_ONLY: Final = ("npm_packages", "debtags_text", "emoji_en", "dblp_v12_fos")
"""Nothing was chosen on these either, the first two with texts: only `co-occurring` and `substitute` were judged."""

JUDGED: Final = (*FRESH, *TUNED, *PAIRS_ONLY)
DRAWN: Final = 100
LEAST_COUNT: Final = 5
MOST_DOCUMENTS: Final = 20_000
"""Documents that are clustered for the breadth of tags."""

SHOWN: Final = 0.6
"""A kind of which a smaller share is right is hidden."""


@dataclass(frozen=True)
class Judgement:
    """One proposal of a corpus, and whether an editor would follow it."""

    corpus: str
    kind: ProposalKind
    tag: str
    other: str
    right: bool


def proposed(corpus: str) -> list[Proposal]:
    """All proposals of a whole corpus; the broad ones from a clustered sample if it is large."""
    tagged = folded(corpus)
    whole = incidence(tagged.matrix, LEAST_COUNT)
    folding = Folding("spelling")
    pairs = propose(tagged, whole, np.zeros(len(whole.columns), dtype=np.float32), folding)
    rows = np.sort(np.random.default_rng(0).permutation(len(tagged.ids))[:MOST_DOCUMENTS])
    sample = incidence(tagged.matrix[rows], LEAST_COUNT)
    model = cut_model(CoClustering().fit(sample), None)
    clusters = model.documents.labels
    placed = Incidence(sample.matrix, rows[sample.rows], sample.columns)
    concepts = model.tags.labels
    some = propose(tagged, placed, breadth(sample.matrix, clusters), Folding("off"), concepts=concepts)
    return [*pairs, *(proposal for proposal in some if proposal.kind in {"implied", "broad"})]


def covered(corpus: str) -> dict[str, str]:
    """Of the tags that a sample clusters, the share for which each kind of relation is proposed, without a limit."""
    tagged = folded(corpus)
    rows = np.sort(np.random.default_rng(0).permutation(len(tagged.ids))[:MOST_DOCUMENTS])
    sample = incidence(tagged.matrix[rows], LEAST_COUNT)
    concepts = cut_model(CoClustering().fit(sample), None).tags.labels
    forms = [tagged.keys[column] for column in sample.columns]
    counts = np.bincount(sample.matrix.indices, minlength=len(forms))
    found = {
        "nested": nested_names(forms, counts, None),
        "head-word": head_words(forms, sample.matrix),
        "implied": implications(sample.matrix, concepts),
    }
    return {kind: f"{len({other for _, other in pairs})} of {len(forms)}" for kind, pairs in found.items()}


def cost(corpus: str) -> dict[str, float]:
    """Tags, rare tags, processor seconds to find all pairs once the corpus is read, and their bytes when stored."""
    tagged = folded(corpus)
    whole = incidence(tagged.matrix, LEAST_COUNT)
    began = time.process_time()
    found = propose(tagged, whole, np.zeros(len(whole.columns), dtype=np.float32), Folding("spelling"))
    seconds = round(time.process_time() - began, 1)
    rare = len(tagged.keys) - len(whole.columns)
    return {"tags": len(whole.columns), "rare": rare, "seconds": seconds, "bytes": len(orjson.dumps(found))}


def draw(corpus: str) -> Iterator[Proposal]:
    """Random proposals, 100 of each kind or all that there are, the same ones each time."""
    found = proposed(corpus)
    for kind in CLAIMS:
        listed = [proposal for proposal in found if proposal.kind == kind]
        drawn = np.random.default_rng(0).permutation(len(listed))[:DRAWN]
        yield from (listed[place] for place in np.sort(drawn).tolist())


def judgements() -> list[Judgement]:
    """All judgements of the file."""
    rows = [line.split("\t") for line in FILE.read_text(encoding="utf-8").splitlines()[1:]]
    return [Judgement(corpus, kind, tag, other, verdict == "right") for corpus, kind, tag, other, verdict in rows]  # type: ignore[arg-type]


def precision(kind: ProposalKind, corpora: Iterable[str] = FRESH) -> tuple[int, int]:
    """How many proposals of a kind are right, and how many were judged."""
    judged = [each.right for each in judgements() if each.kind == kind and each.corpus in corpora]
    return sum(judged), len(judged)


def table() -> list[str]:
    """The share of right proposals by kind and corpus; last, that of the corpora on which nothing was chosen."""
    heads = [*JUDGED, "all fresh", ""]
    lines = [f"| kind | {' | '.join(heads)} |", "|---|" + "--:|" * (len(heads) - 1) + "---|"]
    for kind in CLAIMS:
        cells = [_share(*precision(kind, (corpus,))) for corpus in JUDGED]
        right, judged = precision(kind)
        verdict = "hidden" if right < SHOWN * judged else "shown"
        lines.append(f"| {kind} | {' | '.join(cells)} | {_share(right, judged)} | {verdict} |")
    return lines


def _share(right: int, judged: int) -> str:
    return f"{right / judged:.2f} of {judged}" if judged else "none"
