"""Defines how the fields of a dataclass are stored: by their types."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Any, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
import orjson
from numpy.typing import DTypeLike, NDArray
from pydantic import TypeAdapter

Arrays = dict[str, NDArray[Any]]
T = TypeVar("T")


@dataclass(frozen=True)
class StoredField:
    """One array of an archive: `path` is its name there, and the attribute it holds (`related.starts`)."""

    path: str
    write: Callable[[Any], NDArray[Any]]
    read: Callable[[NDArray[Any]], Any]


Fields: TypeAlias = tuple[StoredField, ...]


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


def declared(kind: Any, own: Iterable[StoredField] = (), without: Collection[str] = (), prefix: str = "") -> Fields:
    """The stored fields of a dataclass and of those inside it, by their types: arrays as such, all else as JSON.

    `own` are fields that are stored in a way of their own, `without` those that are not stored.

    Raises:
        TypeError: the type does not say of what an array is.
    """
    chosen, hints, found = {field.path: field for field in own}, get_type_hints(kind), []
    for path, hint in ((f"{prefix}{field.name}", hints[field.name]) for field in fields(kind)):
        if path in without:
            continue
        if path in chosen:
            found.append(chosen[path])
        elif is_dataclass(hint):
            found += declared(hint, own, without, f"{path}.")
        elif get_origin(hint) is np.ndarray:
            (dtype,) = get_args(get_args(hint)[1])
            if dtype is Any:
                raise TypeError(f"{path}: say how it is stored")
            found.append(array(path, dtype))
        else:
            found.append(record(path, hint))
    return tuple(found)


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
