"""Saves fitted models to files and loads them, without pickle: a file can do nothing but hold numbers and names.

A file is a zip of numpy arrays and of a header in JSON, which says how they belong together. This module and
`cocluster.plot` are the only ones of the package that are not pure.

>>> import tempfile, pathlib
>>> from cocluster import CoClustering
>>> model = CoClustering.from_tags([["rain", "snow"], ["snow", "wind"], ["coin", "bank"], ["coin", "card"]])
>>> with tempfile.TemporaryDirectory() as folder:
...     save(model, pathlib.Path(folder) / "model.npz")
...     load(pathlib.Path(folder) / "model.npz").column_labels(2)
array([0, 0, 0, 1, 1, 1])
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cocluster.engine import Merges
from cocluster.equations.duplicates import Distinct
from cocluster.equations.history import History, SideHistory
from cocluster.equations.transition import Scaling, Transitions
from cocluster.estimator.model import CoClustering
from cocluster.estimator.state import FittedState
from cocluster.fit.factored import DenseGathering, ExtendedGathering, FactoredMatrix, ProductGathering
from cocluster.fit.plan import Plan
from cocluster.fit.result import DenseMatrix, FitResult
from tagmodel import Dendrogram, RelatedTags

FORMAT: Final = 1
"""Grows when files are written in another way."""

HEADER: Final = "header"

CLASSES: Final = {
    kind.__name__: kind
    for kind in (
        *(FittedState, Transitions, Distinct, Scaling, FitResult, Plan, History, SideHistory, Merges, Dendrogram),
        *(DenseMatrix, FactoredMatrix, DenseGathering, ProductGathering, ExtendedGathering, RelatedTags),
    )
}
"""All that a file can hold beside arrays, numbers and texts."""

Arrays = dict[str, NDArray[Any]]


def save(model: CoClustering, path: str | Path) -> None:
    """Write a fitted model to a file. The parameter `tasks` is not saved: it says only where the work was done.

    Raises:
        NotFittedError: the model is not fitted.
    """
    arrays: Arrays = {}
    parameters = {name: value for name, value in model.get_params().items() if name != "tasks"}
    header = {"format": FORMAT, "parameters": parameters, "state": _encode(model.fitted_state(), arrays)}
    text = json.dumps(header, default=_number).encode()
    file = Path(path)
    unfinished = file.with_name(f"{file.name}.part")
    try:
        with unfinished.open("wb") as target:
            np.savez(target, allow_pickle=False, **{HEADER: np.frombuffer(text, dtype=np.uint8)}, **arrays)
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)


def load(path: str | Path) -> CoClustering:
    """The model that `save` wrote to a file, with the same results to the last bit.

    Raises:
        ValueError: the file is damaged, holds no model, or one that another version of Cotag wrote.
        OSError: the file cannot be read.
    """
    try:
        with Path(path).open("rb") as source, np.load(source, allow_pickle=False) as archive:
            header = json.loads(archive[HEADER].tobytes())
            arrays = {name: archive[name] for name in archive.files if name != HEADER}
    except (BadZipFile, EOFError, KeyError, AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is damaged or holds no model: {error}") from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ValueError(f"{path} was written by another version of Cotag; fit the model again")
    try:
        state = _decode(header["state"], arrays)
        return CoClustering.from_state(state, **header["parameters"])
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} was written by another version of Cotag; fit the model again") from error


def _encode(value: Any, arrays: Arrays) -> Any:
    """A value as JSON; its arrays go to `arrays`, each once."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple | list):
        return [_encode(each, arrays) for each in value]
    if isinstance(value, np.ndarray):
        return {"array": _add(value, arrays)}
    if isinstance(value, csr_array):
        parts = {part: _add(getattr(value, part), arrays) for part in ("data", "indices", "indptr")}
        return {"sparse": parts, "shape": list(value.shape)}
    if is_dataclass(value) and CLASSES.get(type(value).__name__) is type(value):
        content = {field.name: _encode(getattr(value, field.name), arrays) for field in fields(value)}
        return {"class": type(value).__name__, "fields": content}
    raise TypeError(f"files cannot hold a {type(value).__name__}")


def _add(array: NDArray[Any], arrays: Arrays) -> str:
    """The name of an array in the file."""
    for name, other in arrays.items():
        if other is array:
            return name
    name = f"a{len(arrays)}"
    arrays[name] = array
    return name


def _decode(value: Any, arrays: Arrays) -> Any:
    """The value that JSON describes."""
    if isinstance(value, list):
        return tuple(_decode(each, arrays) for each in value)
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return arrays[value["array"]]
    if "sparse" in value:
        data, indices, indptr = (arrays[value["sparse"][part]] for part in ("data", "indices", "indptr"))
        return csr_array((data, indices, indptr), shape=tuple(value["shape"]))
    content = {name: _decode(each, arrays) for name, each in value["fields"].items()}
    return CLASSES[value["class"]](**content)


def _number(value: Any) -> Any:
    """A parameter that is a numpy number, as Python's."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"files cannot hold the parameter {value!r}")
