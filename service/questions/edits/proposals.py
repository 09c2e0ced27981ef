"""What editors may decide: the proposals of a run, with their evidence."""

from collections import Counter
from collections.abc import Iterable

from service.answers import KindAnswer, ProposalAnswer, ProposalsAnswer, SampleDocument
from service.view.view import View
from snapshot import HIDDEN_KINDS, PROPOSAL_KINDS, Proposal, ProposalKind, undecided


def proposals(view: View, kind: ProposalKind | None, *, limit: int, offset: int) -> ProposalsAnswer:
    """One page of the proposals of a kind, or of all kinds that are not hidden."""
    found = open_proposals(view)
    counts = Counter(proposal.kind for proposal in found)
    listed = [each for each in found if each.kind == kind] if kind else shown(found)
    return ProposalsAnswer(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        revision=view.revision,
        kinds=[KindAnswer(each, counts[each], each in HIDDEN_KINDS) for each in PROPOSAL_KINDS],
        total=len(listed),
        offset=offset,
        proposals=[_answer(view, proposal) for proposal in listed[offset : offset + limit]],
    )


def open_proposals(view: View) -> list[Proposal]:
    """The proposals of the run that nobody decided yet."""
    return undecided(view.snapshot.proposals, view.edits.edits)


def shown(found: Iterable[Proposal]) -> list[Proposal]:
    """Those of kinds that are right often enough."""
    return [proposal for proposal in found if proposal.kind not in HIDDEN_KINDS]


def _answer(view: View, proposal: Proposal) -> ProposalAnswer:
    pair = bool(proposal.other)
    return {
        "kind": proposal.kind,
        "tag": proposal.tag,
        "other": proposal.other if pair else None,
        "count": proposal.count,
        "other_count": proposal.other_count if pair else None,
        "together": proposal.together if pair else None,
        "changes": proposal.changes,
        "similarity": proposal.similarity,
        "shared": list(proposal.shared),
        "documents": [_sample(view, name) for name in proposal.documents if not view.changes.has_deleted(name)],
        "text_similarity": proposal.text_similarity,
        "words": list(proposal.words),
        "sentence": _sentence(proposal),
        "choices": list(proposal.choices),
    }


def _sentence(proposal: Proposal) -> str | None:
    """What texts say about two tags; None if they say nothing."""
    if proposal.text_similarity is None:
        return None
    examples = f": {', '.join(proposal.words)}" if proposal.words else ""
    return f"The texts of both are {100 * proposal.text_similarity:.0f} % alike{examples}"


def _sample(view: View, name: str) -> SampleDocument:
    """What is known of a document; its id alone if this process does not have the documents."""
    position = view.documents.position(name) if view.has_documents else None
    if position is None:
        return {"id": name, "title": None, "url": None, "tags": []}
    store, names = view.documents, view.tag_names
    card = store.card(position)
    tags = [names[tag] for tag in store.tags(position)]
    return {"id": name, "title": card.title, "url": card.url, "tags": tags}
