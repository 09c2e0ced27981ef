"""Defines how each field of a snapshot is stored. A new field needs one line here, its golden, and its row in docs."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, Final, TypeVar, get_type_hints

import numpy as np
import orjson
from numpy.typing import DTypeLike, NDArray
from pydantic import TypeAdapter

from snapshot.version.aliases import Alias
from snapshot.version.proposals import Proposal
from tagmodel import Cluster

Arrays = dict[str, NDArray[Any]]
T = TypeVar("T")


@dataclass(frozen=True)
class StoredField:
    """One array of an archive: `path` is its name there, and the attribute it holds (`related.starts`)."""

    path: str
    write: Callable[[Any], NDArray[Any]]
    read: Callable[[NDArray[Any]], Any]


def array(path: str, dtype: DTypeLike) -> StoredField:
    """An array of one type."""
    return StoredField(path, lambda value: np.asarray(value, dtype=dtype), lambda stored: stored.astype(dtype))


def narrow(path: str, dtype: DTypeLike) -> StoredField:
    """Whole numbers ≥ 0, stored in the narrowest type that holds them."""

    def write(value: NDArray[Any]) -> NDArray[Any]:
        return value.astype(np.min_scalar_type(int(value.max(initial=0))))

    return StoredField(path, write, lambda stored: stored.astype(dtype))


def record(path: str, kind: Any) -> StoredField:
    """Anything else, as JSON in bytes: texts, numbers, small dataclasses."""
    adapter: TypeAdapter[Any] = TypeAdapter(kind)

    def write(value: Any) -> NDArray[np.uint8]:
        return np.frombuffer(orjson.dumps(value), dtype=np.uint8)

    return StoredField(path, write, lambda stored: adapter.validate_python(orjson.loads(stored.tobytes())))


TEXTS: Final = tuple[str, ...]

TAGS: Final = (
    record("names", TEXTS),
    record("keys", TEXTS),
    array("counts", np.int32),
    array("breadth", np.float32),
    array("broad", np.bool_),
    array("partition.labels", np.int32),
    record("partition.ids", tuple[int, ...]),
    array("tree.linkage", np.float64),
    array("related.starts", np.int32),
    array("related.indices", np.int32),
    array("related.alone", np.float32),
    array("related.together", np.float32),
    array("related.evidence", np.float32),
    array("related.prior", np.float32),
    record("related.logistic_weight", float),
    record("related.popularity_exponents", tuple[float, float, float]),
    record("related.single_tag_exponents", tuple[float, float, float]),
    array("tag_curve.k", np.int32),
    array("tag_curve.entropy", np.float64),
    array("tag_curve.information", np.float64),
    array("tag_curve.criterion", np.float64),
    array("document_curve.k", np.int32),
    array("document_curve.entropy", np.float64),
    array("document_curve.information", np.float64),
    array("document_curve.criterion", np.float64),
    array("picture.before", np.uint8),
    array("picture.after", np.uint8),
    array("classifier.table", np.float32),
    array("classifier.mass", np.float32),
    array("classifier.shares", np.float32),
    record("classifier.sharpness", float),
    record("classifier.clusters", tuple[Cluster, ...]),
    record("aliases", tuple[Alias, ...]),
    record("proposals", tuple[Proposal, ...]),
    record("tail.names", TEXTS),
    record("tail.keys", TEXTS),
    array("tail.counts", np.int32),
    array("tail.concepts", np.int32),
)
"""The part `arrays`: everything the service needs about tags, beside the meta."""

DOCUMENTS: Final = (
    record("ids", TEXTS),
    narrow("clusters", np.int32),
    narrow("leaves", np.int32),
    array("tree.linkage", np.float64),
    narrow("tree.sizes", np.int64),
    record("leaf_names", TEXTS),
)
"""The part `documents`."""


def to_arrays(stored: tuple[StoredField, ...], value: object) -> Arrays:
    """The arrays of an object, by path."""
    return {field.path: field.write(attribute(value, field.path)) for field in stored}


def from_arrays(stored: tuple[StoredField, ...], arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """The values of all fields that have an array, by path; ignores unknown arrays."""
    return {field.path: field.read(arrays[field.path]) for field in stored if field.path in arrays}


def build(kind: type[T], values: Mapping[str, Any], prefix: str = "") -> T:
    """Build a dataclass from values by path; a field that is itself a dataclass is built from the paths below it.

    Raises:
        KeyError: a field without a default is missing.
    """
    hints = get_type_hints(kind)
    arguments: dict[str, Any] = {}
    for field in fields(kind):  # type: ignore[arg-type]
        path = f"{prefix}{field.name}"
        if path in values:
            arguments[field.name] = values[path]
        elif any(name.startswith(f"{path}.") for name in values):
            arguments[field.name] = build(hints[field.name], values, f"{path}.")
    missing = [field.name for field in fields(kind) if field.name not in arguments and _required(field)]  # type: ignore[arg-type]
    if missing:
        raise KeyError(f"{prefix}{missing[0]}")
    return kind(**arguments)


def attribute(value: Any, path: str) -> Any:
    """The value at a path such as `related.starts`."""
    for name in path.split("."):
        value = getattr(value, name)
    return value


def _required(field: Any) -> bool:
    return field.default is MISSING and field.default_factory is MISSING
