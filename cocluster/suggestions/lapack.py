"""LAPACK routines that let other threads run: those of scipy.linalg.lapack hold the interpreter's lock.

A worker renews its lock on a corpus in a thread of its own. With many tags on a busy machine, scipy's routines would
block that thread for longer than the lock lasts.
"""

from collections.abc import Callable
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_float, c_int

from numba.extending import get_cython_function_address

from cocluster.suggestions.cooccurrence import Floats32

Routine = Callable[[Floats32], bool]


def _lower_triangle_routine(name: str) -> Routine:
    """A routine on the lower triangle of a square matrix; it returns False if it fails."""
    call = CFUNCTYPE(None, c_char_p, POINTER(c_int), POINTER(c_float), POINTER(c_int), POINTER(c_int))(
        get_cython_function_address("scipy.linalg.cython_lapack", name)
    )

    def routine(A: Floats32) -> bool:
        if not (A.flags.f_contiguous and A.flags.writeable and A.dtype == "float32" and A.shape[0] == A.shape[1]):
            raise ValueError("LAPACK overwrites a square float32 matrix in Fortran's order")
        size, wrong = c_int(len(A)), c_int()
        call(b"L", byref(size), A.ctypes.data_as(POINTER(c_float)), byref(size), byref(wrong))
        return wrong.value == 0

    return routine


factorise = _lower_triangle_routine("spotrf")
"""A → L with A = L Lᵀ, in place; false if A is not positive definite."""

invert_factored = _lower_triangle_routine("spotri")
"""L → the lower triangle of A⁻¹, in place."""
