"""The names of tags that a table brings with it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Names = NDArray[np.object_]


def feature_names(X: Any) -> Names | None:
    """The column names of a table (pandas, polars) if they are strings; None without such names.

    Raises:
        TypeError: some names are strings and others are not.
    """
    columns = getattr(X, "columns", None)
    if columns is None:
        return None
    names = np.empty(len(columns), dtype=object)
    names[:] = list(columns)
    strings = [isinstance(name, str) for name in names]
    if all(strings) and strings:
        return names
    if any(strings):
        kinds = sorted({type(name).__name__ for name in names})
        raise TypeError(f"column names must all be strings or none of them; they are of the types {', '.join(kinds)}")
    return None


def given_names(names: Any, tags: int) -> Names:
    """Names that are given beside a matrix: one a column, or a vectorizer that knows them.

    Raises:
        ValueError: there are more or fewer, or some are no strings.
    """
    known = names.get_feature_names_out() if hasattr(names, "get_feature_names_out") else names
    given = np.empty(len(known), dtype=object)
    given[:] = list(known)
    if len(given) != tags:
        raise ValueError(f"names has {len(given)} names for {tags} columns")
    if not all(isinstance(name, str) for name in given):
        raise ValueError("names must all be strings")
    return given


def names_or_numbers(names: Names | None, tags: int) -> list[str]:
    """The names, or x0, x1, … as scikit-learn names columns without a name."""
    return [f"x{tag}" for tag in range(tags)] if names is None else names.tolist()
