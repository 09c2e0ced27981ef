"""Shows editors the new tags that wait: the tag each may be another spelling of, and the company it came with."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from cocluster import Incidence
from snapshot import Proposal
from worker.proposals.spelling import spelled_alike
from worker.vocabulary.staging import StagedTags
from worker.vocabulary.tag_corpus import TagCorpus

NEAREST: Final = 5
SHOWN: Final = 2


def staged_proposals(tagged: TagCorpus, incidence: Incidence, staged: StagedTags, most: int) -> list[Proposal]:
    """A proposal for each of the first tags that wait. Without a tag that is spelled alike it is about one tag only."""
    forms = [tagged.keys[column] for column in incidence.columns]
    counts = np.bincount(incidence.matrix.indices, minlength=len(forms))
    alike: dict[int, int] = {}
    for pair in spelled_alike(forms, staged.keys[:most]):
        best = alike.get(pair.other)
        if best is None or counts[pair.known] > counts[best]:
            alike[pair.other] = pair.known
    return [
        _proposal(tagged, incidence, staged, number, alike=alike.get(number), counts=counts)
        for number in range(min(most, len(staged.keys)))
    ]


def _proposal(
    tagged: TagCorpus,
    incidence: Incidence,
    staged: StagedTags,
    number: int,
    *,
    alike: int | None,
    counts: NDArray[np.int64],
) -> Proposal:
    rows = staged.documents[number]
    name, count = staged.names[number], len(rows)
    beside = np.bincount(tagged.matrix[rows].indices, minlength=len(tagged.keys))[incidence.columns]
    weight = beside * np.log2(1.0 + len(tagged.ids) / np.maximum(counts, 1))
    near = [place for place in np.argsort(-weight, kind="stable")[:NEAREST].tolist() if beside[place]]
    names = [tagged.names[int(column)] for column in incidence.columns]
    return Proposal(
        kind="staged",
        tag=name if alike is None else names[alike],
        other="" if alike is None else name,
        count=count if alike is None else int(counts[alike]),
        other_count=0 if alike is None else count,
        together=0 if alike is None else int(beside[alike]),
        similarity=0.0,
        shared=tuple(names[place] for place in near),
        documents=tuple(tagged.ids[int(row)] for row in rows[:SHOWN]),
    )
