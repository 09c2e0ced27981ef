"""Reads snapshots of older schemas: one small step for each schema, applied in a row until the present one.

A step turns what its schema stored into what the next one stores. It works on the stored form, before any dataclass is
built, so that it never changes when the dataclasses do. tests/snapshot/golden has a snapshot of each schema.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import orjson
from numpy.typing import NDArray

Head = dict[str, Any]
Arrays = dict[str, NDArray[Any]]


def _same_head(head: Head) -> Head:
    return head


def _same_arrays(_: Head, arrays: Arrays) -> Arrays:
    return arrays


@dataclass(frozen=True)
class Upgrade:
    """The step from one schema to the next: of the meta, of the arrays over tags, and of those over documents.

    The arrays are upgraded with the meta as it was stored, before its own step.
    """

    head: Callable[[Head], Head] = _same_head
    arrays: Callable[[Head, Arrays], Arrays] = _same_arrays
    documents: Callable[[Head, Arrays], Arrays] = _same_arrays


SUGGESTIONS: Final = {
    "caution": "logistic_penalty",
    "trust": "logistic_weight",
    "tilts": "popularity_exponents",
    "lone_tilts": "single_tag_exponents",
}
"""The figures of schema 1 that have other names since."""

RENAMED: Final = {
    "tag_linkage": "tree.linkage",
    "related_scores": "related.alone",
    "related_starts": "related.starts",
    "related_indices": "related.indices",
    "related_together": "related.together",
    "related_evidence": "related.evidence",
    "related_prior": "related.prior",
    **{f"{side}_curve_{what}": f"{side}_curve.{what}" for side in ("tag", "document") for what in ("k", "entropy")},
    **{f"{side}_curve_information": f"{side}_curve.information" for side in ("tag", "document")},
    **{f"{side}_curve_criterion": f"{side}_curve.criterion" for side in ("tag", "document")},
    "picture_before": "picture.before",
    "picture_after": "picture.after",
    "placing_table": "classifier.table",
    "placing_mass": "classifier.mass",
    "placing_shares": "classifier.shares",
}
"""The arrays of schema 1 that have other names since."""


def _head_from_1(head: Head) -> Head:
    """Counts and figures got other names; what the classifier needs went to the arrays."""
    suggestions = {SUGGESTIONS.get(name, name): value for name, value in head["suggestions"].items() if name != "blend"}
    kept = {name: value for name, value in head.items() if name not in {"documents", "tags", "placing"}}
    return {**kept, "document_count": head["documents"], "tag_count": head["tags"], "suggestions": suggestions}


def _arrays_from_1(head: Head, arrays: Arrays) -> Arrays:
    """Arrays are named by their path; clusters are numbered by position, with their ids beside them."""
    ids = [cluster["id"] for cluster in head["clusters"]]
    position = {cluster: place for place, cluster in enumerate(ids)}
    labels = [position[cluster] for cluster in arrays["tag_cluster"].tolist()]
    figures = head["suggestions"]
    renamed = {RENAMED.get(name, name): array for name, array in arrays.items() if name != "tag_cluster"}
    return {
        **renamed,
        "partition.labels": np.array(labels, dtype=np.int32),
        "partition.ids": _record(ids),
        "related.logistic_weight": _record(figures["trust"]),
        "related.popularity_exponents": _record(figures["tilts"]),
        "related.single_tag_exponents": _record(figures["lone_tilts"]),
        "classifier.sharpness": _record(head["placing"]["sharpness"]),
        "classifier.clusters": _record(head["placing"]["clusters"]),
    }


def _documents_from_1(_: Head, arrays: Arrays) -> Arrays:
    """Leaves may be micro-clusters since; before, each document was one."""
    count = len(arrays["clusters"])
    return {
        "ids": arrays["ids"],
        "clusters": arrays["clusters"],
        "leaves": np.arange(count),
        "tree.linkage": arrays["linkage"],
        "tree.sizes": np.ones(count, dtype=np.int64),
        "leaf_names": arrays["ids"],
    }


UPGRADES: Final[Mapping[int, Upgrade]] = {
    1: Upgrade(_head_from_1, _arrays_from_1, _documents_from_1),
    2: Upgrade(),  # 3 added the documents that services map; a version without them is served without
    3: Upgrade(),  # 4 added tail tags; a version without them has none
}
"""The step from each older schema to the next."""


def upgraded_head(head: Head, schema: int) -> Head:
    """The meta in the present schema."""
    for older in range(schema, _present()):
        head = UPGRADES[older].head(head)
    return head


def upgraded_arrays(head: Head, schema: int, arrays: Arrays, *, of_documents: bool = False) -> Arrays:
    """The arrays over tags, or those over documents, in the present schema. `head` is the meta as it was stored."""
    for older in range(schema, _present()):
        step = UPGRADES[older]
        arrays = (step.documents if of_documents else step.arrays)(head, arrays)
        head = step.head(head)
    return arrays


def _present() -> int:
    return max(UPGRADES) + 1


def _record(value: object) -> NDArray[np.uint8]:
    return np.frombuffer(orjson.dumps(value), dtype=np.uint8)
