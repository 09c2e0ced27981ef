"""`cotag proposals`: what editors may decide about a corpus, as a table, as JSON, or as lines for the corpora file."""

from collections.abc import Iterable
from dataclasses import asdict

import click
import orjson
from redis import Redis

from cotag.commands.tables import print_json, print_table
from cotag.errors import StartError
from snapshot import (
    HIDDEN_KINDS,
    RELATION_KINDS,
    Proposal,
    ProposalKind,
    Snapshot,
    SnapshotStore,
    normalise,
    undecided,
)
from snapshot.store.edits import EditStore

HEADINGS = ["kind", "tag", "documents", "other", "documents", "together", "similarity", "shared"]


def list_proposals(redis: Redis, name: str, kind: ProposalKind | None, *, as_toml: bool, as_json: bool) -> None:
    """Print what editors may decide about a corpus."""
    store = SnapshotStore(redis)
    version = store.current(name)
    if version is None:
        raise StartError(f"{name} has no snapshot")
    snapshot = store.load(name, version)
    found = undecided(snapshot.proposals, EditStore(redis).read(name).edits)
    listed = [each for each in found if (each.kind == kind if kind else each.kind not in HIDDEN_KINDS)]
    if as_json:
        print_json({"corpus": name, "version": version, "proposals": [asdict(proposal) for proposal in listed]})
    elif as_toml:
        click.echo("\n".join(toml_lines(snapshot, listed)))
    else:
        print_table(HEADINGS, [_row(proposal) for proposal in listed], f"{name} has no proposals")


def toml_lines(snapshot: Snapshot, proposals: Iterable[Proposal]) -> list[str]:
    """Lines to paste below the heading of the corpus, each with its evidence in a comment.

    A tag can be counted as one other tag only, so the first proposal about it stands.
    """
    synonyms: dict[str, str] = {}
    related: dict[str, list[str]] = {"broader": [], "implies": []}
    banned: list[str] = []
    admitted: list[str] = []
    for proposal in proposals:
        if proposal.kind == "staged":
            admitted.append(f"  {_text(proposal.other or proposal.tag)},  # {_evidence(proposal)}")
        elif relation := RELATION_KINDS.get(proposal.kind):
            line = f"{relation}.{_text(proposal.other)} = {_text(proposal.tag)}  # {_evidence(proposal)}"
            related[relation].append(line)
        elif not proposal.other:
            banned.append(f"  {_text(proposal.tag)},  # {_evidence(proposal)}")
        else:
            line = f"synonyms.{_text(proposal.other)} = {_text(proposal.tag)}  # {_evidence(proposal)}"
            synonyms.setdefault(normalise(proposal.other), line)
    return [
        f"# Proposals for {snapshot.corpus}, version {snapshot.version}.",
        f"# Paste what is right below [corpora.{snapshot.corpus}].",
        "# If synonyms, broader, implies or ban are declared there already, add to those instead.",
        '# Two tags that you want to keep apart for good: distinct = [["one", "other"]]',
        *(["ban = [", *banned, "]"] if banned else []),
        *(["admit = [", *admitted, "]"] if admitted else []),
        *synonyms.values(),
        *related["broader"],
        *related["implies"],
    ]


def _evidence(proposal: Proposal) -> str:
    if proposal.kind == "staged":
        count, alike = proposal.other_count or proposal.count, f", like {proposal.tag}" if proposal.other else ""
        return f"new: {count} documents{alike}"
    if not proposal.other:
        return f"broad: {proposal.count} documents, breadth {proposal.similarity:.2f}"
    counts = f"{proposal.other_count} and {proposal.count} documents, {proposal.together} with both"
    return f"{proposal.kind}: {counts}, similarity {proposal.similarity:.2f}"


def _row(proposal: Proposal) -> list[str]:
    pair = [str(proposal.other_count), str(proposal.together)] if proposal.other else ["", ""]
    shown = [proposal.kind, proposal.tag, str(proposal.count), proposal.other, *pair]
    return [*shown, f"{proposal.similarity:.2f}", ", ".join(proposal.shared)]


def _text(value: str) -> str:
    """A TOML string: JSON's are, but for the one control character that JSON leaves as it is."""
    return orjson.dumps(value).decode().replace("\x7f", "\\u007f")
