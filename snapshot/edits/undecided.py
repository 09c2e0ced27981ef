"""Which proposals are still open: editors' decisions end them."""

from collections.abc import Iterable

from snapshot.edits import Edit, decided_pairs, decided_tags, postponed
from snapshot.version.proposals import Proposal


def undecided(proposals: Iterable[Proposal], edits: Iterable[Edit]) -> list[Proposal]:
    """The proposals about which editors have neither decided nor put the decision off.

    A tag that is a synonym, banned or admitted from the next run on is out of the question, too.
    """
    edits = tuple(edits)
    decided = decided_pairs(edits) | postponed(edits) | {frozenset((tag,)) for tag in decided_tags(edits)}
    going = {edit.forms[0] for edit in edits if edit.kind in {"synonym", "ban", "admit"}}
    return [each for each in proposals if each.forms not in decided and going.isdisjoint(each.forms)]
