"""Shows editors the new tags that wait: the tags each may be another name of, and the company it came with."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cocluster import Incidence
from snapshot import Proposal
from worker.proposals.company import CompanyRows
from worker.proposals.nearest import near_company, near_spellings
from worker.proposals.spelling import spelled_alike
from worker.vocabulary.staging import StagedTags
from worker.vocabulary.tag_corpus import TagCorpus

NEAREST: Final = 5
SHOWN: Final = 2
CHOICES: Final = 4
"""Tags that a new one may stand for, at most: up to half of them by their letters."""


def staged_proposals(
    tagged: TagCorpus, incidence: Incidence, staged: StagedTags, company: CompanyRows, most: int
) -> list[Proposal]:
    """A proposal for each of the first tags that wait. Without a tag that is spelled alike it is about one tag only."""
    forms, waiting = [tagged.keys[column] for column in incidence.columns], staged.keys[:most]
    counts = np.bincount(incidence.matrix.indices, minlength=len(forms))
    alike: dict[int, int] = {}
    for pair in spelled_alike(forms, waiting):
        best = alike.get(pair.other)
        if best is None or counts[pair.known] > counts[best]:
            alike[pair.other] = pair.known
    names = [tagged.names[int(column)] for column in incidence.columns]
    known = _Known(tagged, incidence, names, counts, company)
    return [
        known.proposal(staged, number, alike.get(number), written)
        for number, written in enumerate(near_spellings(forms, waiting))
    ]


@dataclass(frozen=True, eq=False)
class _Known:
    """The tags that are served, to compare with."""

    tagged: TagCorpus
    incidence: Incidence
    names: list[str]
    counts: NDArray[np.int64]
    company: CompanyRows

    def proposal(self, staged: StagedTags, number: int, alike: int | None, written: list[int]) -> Proposal:
        """What waits, the tag that is spelled alike, and others that are written much like it."""
        rows = staged.documents[number]
        name, count = staged.names[number], len(rows)
        beside = np.bincount(self.tagged.matrix[rows].indices, minlength=len(self.tagged.keys))[self.incidence.columns]
        weights = (beside * np.log2(1.0 + len(self.tagged.ids) / np.maximum(self.counts, 1))).astype(np.float64)
        near = [place for place in np.argsort(-weights, kind="stable")[:NEAREST].tolist() if beside[place]]
        by_letters = [place for place in (alike, *written) if place is not None][: CHOICES // 2]
        choices = list(dict.fromkeys([*by_letters, *near_company(self.company, weights)]))[:CHOICES]
        return Proposal(
            kind="staged",
            tag=name if alike is None else self.names[alike],
            other="" if alike is None else name,
            count=count if alike is None else int(self.counts[alike]),
            other_count=0 if alike is None else count,
            together=0 if alike is None else int(beside[alike]),
            similarity=0.0,
            shared=tuple(self.names[place] for place in near),
            documents=tuple(self.tagged.ids[int(row)] for row in rows[:SHOWN]),
            choices=tuple(self.names[place] for place in choices),
        )
