"""The decorators of compiled functions, and the types of the arrays they take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Bools = NDArray[np.bool_]

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function, **options: Any) -> Function:
    """The function compiled by numba at its first call and cached on disk for the next process.

    Where no cache directory can be written (a read-only installation without a home), each process compiles anew.
    """
    try:
        jitted: Function = njit(cache=True, error_model="numpy", nogil=True, **options)(function)
    except RuntimeError:  # numba: "no locator available"
        jitted = njit(error_model="numpy", nogil=True, **options)(function)
    return jitted


def kernel(function: Function) -> Function:
    """Compiled with the arithmetic as written: the same input gives the same bits."""
    return compiled(function)


def bound_kernel(function: Function) -> Function:
    """Compiled with sums in any order and fused products: only for bounds, whose margins pay for it."""
    return compiled(function, fastmath={"reassoc", "contract"})


def sum_kernel(function: Function) -> Function:
    """Compiled with sums in any order, which vectorises them: for learning, where the last bits decide nothing."""
    return compiled(function, fastmath={"reassoc", "nsz"})
