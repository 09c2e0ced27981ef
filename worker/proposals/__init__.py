"""What a run proposes to editors: tags that may be one or related, tags that say nothing; each with its evidence."""

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cocluster import Incidence
from cocluster.tags.relations import head_words, implications
from snapshot import Proposal, ProposalKind
from worker.proposals.broad import meaningless
from worker.proposals.company import company_of
from worker.proposals.evidence import Evidence, undecided_pairs
from worker.proposals.pairs import by_spelling, co_occurring, substitutes
from worker.proposals.relations import nested_names, with_similarity
from worker.proposals.spelling import Alike, spelled_alike
from worker.proposals.staged import staged_proposals
from worker.proposals.text import Scored, TextLikeness
from worker.vocabulary.folding import Folding
from worker.vocabulary.staging import NONE_STAGED, StagedTags
from worker.vocabulary.tag_corpus import TagCorpus

__all__ = ["MOST", "propose"]

MOST: Final = 200
"""Proposals of a kind, at most."""


def propose(
    tagged: TagCorpus,
    incidence: Incidence,
    breadth: NDArray[np.float32],
    folding: Folding,
    staged: StagedTags = NONE_STAGED,
    *,
    concepts: NDArray[np.int64] | None = None,
    nested: str | None = None,
    texts: TextLikeness | None = None,
) -> tuple[Proposal, ...]:
    """All proposals, kind by kind, at most 200 of each; none about a pair that an editor keeps apart.

    With `variants = "off"` spellings are not compared. A pair is proposed once, under the first kind that finds it.
    `concepts` are those of the tags of the matrix; without them no tag is proposed to imply another. `nested` is the
    separator of paths that the corpus declares. With `texts`, substitutes have their evidence, and those whose
    texts are most alike come first.
    """
    documents = tagged.matrix[incidence.rows]
    counts = np.bincount(documents.indices, minlength=len(tagged.keys))
    rare = np.setdiff1d(np.flatnonzero(counts), incidence.columns)
    variants, misspelt = ([], []) if folding.variants == "off" else _spelled_alike(tagged, incidence, counts, rare)
    paths = [pair for pair in nested_names(tagged.keys, counts, nested) if counts[list(pair)].all()][:MOST]
    used = np.union1d(rare[[pair.other for pair in misspelt]], np.setdiff1d(paths, incidence.columns)).astype(np.intp)
    columns = np.concatenate([incidence.columns, used])
    tags = csr_array(documents[:, columns])
    company = company_of(tags, incidence.matrix)
    place = {column: number for number, column in enumerate(columns.tolist())}
    rare_pairs = [Alike(pair.known, place[int(rare[pair.other])], pair.by_letter) for pair in misspelt]
    forms = [tagged.keys[column] for column in incidence.columns]
    implied = [] if concepts is None else implications(incidence.matrix, concepts)
    apart = substitutes(incidence.matrix, company)
    found: list[tuple[ProposalKind, list[Scored]]] = [
        ("variant", by_spelling(variants, company, counts[columns])),
        ("nested", with_similarity([(place[parent], place[child]) for parent, child in paths], company)),
        ("co-occurring", co_occurring(incidence.matrix, company)),
        ("substitute", texts.ranked(apart) if texts else apart),
        ("rare", _first_of_each(by_spelling(rare_pairs, company, counts[columns]))),
        ("head-word", with_similarity(head_words(forms, incidence.matrix), company)),
        ("implied", with_similarity(implied, company)),
    ]
    evidence = Evidence(tagged, incidence, columns, tags, company, texts)
    decided = set(folding.distinct)
    return (
        *(
            evidence.of_pair(kind, pair, similarity)
            for kind, pairs in found
            for pair, similarity in undecided_pairs(pairs, decided, evidence, MOST)
        ),
        *(evidence.of_tag(tag, float(breadth[tag])) for tag in meaningless(breadth)[:MOST]),
        *staged_proposals(tagged, incidence, staged, company, MOST),
    )


def _spelled_alike(
    tagged: TagCorpus, incidence: Incidence, counts: NDArray[np.int64], rare: NDArray[np.int64]
) -> tuple[list[Alike], list[Alike]]:
    """Pairs of tags of the matrix by their columns, the commoner first; and such pairs with rare tags by place."""
    forms = [tagged.keys[column] for column in incidence.columns]
    by_count = np.lexsort((np.arange(len(forms)), -counts[incidence.columns])).tolist()
    common = [forms[place] for place in by_count]
    variants = [
        Alike(by_count[pair.known], by_count[pair.other], pair.by_letter)
        for pair in spelled_alike(common, common)
        if pair.known < pair.other
    ]
    return variants, list(spelled_alike(forms, (tagged.keys[column] for column in rare)))


def _first_of_each(pairs: Iterable[Scored]) -> list[Scored]:
    """Of the pairs of a rare tag, the first."""
    first: dict[int, Scored] = {}
    for (tag, other), similarity in pairs:
        first.setdefault(other, ((tag, other), similarity))
    return list(first.values())
