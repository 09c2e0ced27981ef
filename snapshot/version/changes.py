"""How the concepts of versions differ: one step is stored at each publish, and steps in a row give any two versions.

A step has what came, went and moved between a version and the one that it continues, so it leads both ways. From the
concepts of a version that is served, steps lead back to those of any version of the last year, also one that is no
longer stored. The two are then compared directly, whatever happened in between.
"""

import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Final

import orjson
from pydantic import TypeAdapter, ValidationError

from snapshot.version.schema import Descent, Snapshot

TAKES_PART: Final = 0.25
"""A concept descends from an earlier one if it took this share of its tags."""


@dataclass(frozen=True)
class Concepts:
    """The concepts of one version: the cluster and the name of each tag, by key, and the name of each cluster."""

    clusters: dict[str, int]
    tags: dict[str, str]
    names: dict[int, str]


@dataclass(frozen=True)
class PlacedTag:
    """A tag of one of two versions, and its cluster there."""

    key: str
    name: str
    cluster: int


@dataclass(frozen=True)
class MovedKey:
    """A tag whose cluster changed."""

    key: str
    before: int
    after: int


@dataclass(frozen=True)
class Step:
    """How a version differs from the one that it continues.

    `names_before` and `names_after` have the names of the clusters that only one of the two has, or that are named
    otherwise in the other.
    """

    version: str
    previous: str
    came: tuple[PlacedTag, ...]
    went: tuple[PlacedTag, ...]
    moved: tuple[MovedKey, ...]
    names_before: dict[int, str]
    names_after: dict[int, str]


@dataclass(frozen=True)
class Origin:
    """The clusters of an earlier version of which a cluster took a large share of the tags."""

    kind: Descent
    parents: tuple[int, ...]


STEP: Final = TypeAdapter(Step)


def concepts_of(snapshot: Snapshot) -> Concepts:
    """The concepts of a snapshot."""
    return Concepts(
        clusters=dict(zip(snapshot.keys, snapshot.partition.item_ids.tolist(), strict=True)),
        tags=dict(zip(snapshot.keys, snapshot.names, strict=True)),
        names={cluster.id: cluster.name for cluster in snapshot.clusters},
    )


def step_between(version: str, after: Concepts, previous: str, before: Concepts) -> Step:
    """The step from the previous version to this one."""
    return Step(
        version=version,
        previous=previous,
        came=_only_in(after, before),
        went=_only_in(before, after),
        moved=tuple(
            MovedKey(key, before.clusters[key], cluster)
            for key, cluster in after.clusters.items()
            if before.clusters.get(key, cluster) != cluster
        ),
        names_before={number: name for number, name in before.names.items() if after.names.get(number) != name},
        names_after={number: name for number, name in after.names.items() if before.names.get(number) != name},
    )


def undo(concepts: Concepts, step: Step) -> Concepts:
    """The concepts of the previous version, from those of the version of a step."""
    return _apply(concepts, step.went, step.came, {each.key: each.before for each in step.moved}, step, back=True)


def redo(concepts: Concepts, step: Step) -> Concepts:
    """The concepts of the version of a step, from those of the previous one."""
    return _apply(concepts, step.came, step.went, {each.key: each.after for each in step.moved}, step, back=False)


def origins(before: Mapping[str, int], after: Mapping[str, int]) -> dict[int, Origin]:
    """Where each cluster comes from, judged by the tags that both versions have."""
    common = [(cluster, after[key]) for key, cluster in before.items() if key in after]
    sizes = Counter(old for old, _ in common)
    parents: defaultdict[int, list[int]] = defaultdict(list)
    heirs: Counter[int] = Counter()
    for (old, new), shared in sorted(Counter(common).items()):
        if shared >= TAKES_PART * sizes[old]:
            parents[new].append(old)
            heirs[old] += 1
    known = set(before.values())
    return {
        cluster: Origin(
            kind_of([heirs[parent] for parent in parents[cluster]], continues=cluster in known), tuple(parents[cluster])
        )
        for cluster in sorted(set(after.values()))
    }


def kind_of(heirs_of_parents: list[int], *, continues: bool) -> Descent:
    """What became of a cluster, from the number of heirs of each of its parents."""
    if len(heirs_of_parents) > 1:
        return "merged"
    if heirs_of_parents and heirs_of_parents[0] > 1:
        return "split"
    return "kept" if continues else "new"


def is_renamed(before: str, after: str) -> bool:
    """Whether a label names other tags; another order of the same ones is no other name."""
    return sorted(before.split(", ")) != sorted(after.split(", "))


def encode_step(step: Step) -> bytes:
    """The stored form: a line of JSON that names the previous version, then the step, compressed."""
    head = orjson.dumps({"previous": step.previous})
    return head + b"\n" + zlib.compress(orjson.dumps(asdict(step), option=orjson.OPT_NON_STR_KEYS))


def decode_step(raw: bytes) -> Step | None:
    """A stored step; None if it makes no sense."""
    try:
        return STEP.validate_json(zlib.decompress(raw.partition(b"\n")[2]))
    except (zlib.error, ValidationError):
        return None


def previous_of(raw: bytes) -> str:
    """The previous version of a stored step, without decoding the step; empty if it makes no sense."""
    try:
        return str(orjson.loads(raw.partition(b"\n")[0])["previous"])
    except (orjson.JSONDecodeError, TypeError, KeyError):
        return ""


def _only_in(some: Concepts, others: Concepts) -> tuple[PlacedTag, ...]:
    return tuple(
        PlacedTag(key, some.tags[key], cluster) for key, cluster in some.clusters.items() if key not in others.clusters
    )


def _apply(
    concepts: Concepts,
    added: Iterable[PlacedTag],
    removed: Iterable[PlacedTag],
    moved: Mapping[str, int],
    step: Step,
    *,
    back: bool,
) -> Concepts:
    gone = {each.key for each in removed}
    added = list(added)
    clusters = {key: cluster for key, cluster in {**concepts.clusters, **moved}.items() if key not in gone}
    here, there = (step.names_after, step.names_before) if back else (step.names_before, step.names_after)
    names = {number: name for number, name in concepts.names.items() if number not in here}
    return Concepts(
        clusters={**clusters, **{each.key: each.cluster for each in added}},
        tags={
            **{key: name for key, name in concepts.tags.items() if key not in gone},
            **{each.key: each.name for each in added},
        },
        names={**names, **there},
    )
