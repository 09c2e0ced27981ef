"""Editors' decisions that last from run to run.

`edit` is one decision, `state` all of a corpus, `conflicts` what cannot hold together, `change` checks a change,
`partition` applies the edits to clusters, `relations` has what they say about single tags;
`snapshot.store.edits` keeps them in Redis.
docs/reference/edits.md describes them.
"""

from snapshot.edits.application import computed_clusters, edited_partition, key_finder
from snapshot.edits.change import Contradiction, DeclaredEdit, EditChange, EditRefused, UnknownEdit, check_change
from snapshot.edits.conflicts import Conflict, conflicts
from snapshot.edits.edit import (
    KINDS,
    NEEDS_RUN,
    Edit,
    Kind,
    decided_pairs,
    decided_tags,
    edit_json,
    parse_edit,
    postponed,
)
from snapshot.edits.partition import ACTING, EditedPartition, Tags, edit_partition
from snapshot.edits.relations import Relations, parents, relations_of
from snapshot.edits.state import NO_EDITS, EditState, decode_state, encode_state

__all__ = [
    "ACTING",
    "KINDS",
    "NEEDS_RUN",
    "NO_EDITS",
    "Conflict",
    "Contradiction",
    "DeclaredEdit",
    "Edit",
    "EditChange",
    "EditRefused",
    "EditState",
    "EditedPartition",
    "Kind",
    "Relations",
    "Tags",
    "UnknownEdit",
    "check_change",
    "computed_clusters",
    "conflicts",
    "decided_pairs",
    "decided_tags",
    "decode_state",
    "edit_json",
    "edit_partition",
    "edited_partition",
    "encode_state",
    "key_finder",
    "parents",
    "parse_edit",
    "postponed",
    "relations_of",
]
