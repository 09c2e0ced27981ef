"""The routines of LAPACK that let other threads run."""

import threading
import time

import numpy as np
import pytest

from cocluster.suggestions.lapack import factorise, invert_factored
from tests.waiting import wait_until


def positive(size):
    X = np.random.default_rng(0).random((size, size), dtype=np.float32)
    return np.asfortranarray(X @ X.T + size * np.eye(size, dtype=np.float32))


def test_the_lower_triangle_becomes_that_of_the_inverse():
    A = positive(40)
    expected = np.linalg.inv(A.astype(np.float64))
    assert factorise(A)
    assert invert_factored(A)
    np.testing.assert_allclose(np.tril(A), np.tril(expected), rtol=1e-4, atol=1e-7)


def test_a_matrix_that_is_not_positive_definite_is_reported():
    assert not factorise(np.asfortranarray(-np.eye(3, dtype=np.float32)))


@pytest.mark.parametrize(
    "A",
    [
        np.arange(9, dtype=np.float32).reshape(3, 3),
        np.zeros((3, 2), dtype=np.float32, order="F"),
        np.eye(3, order="F"),
    ],
)
def test_what_it_could_not_overwrite_is_refused(A):
    with pytest.raises(ValueError, match="square float32 matrix in Fortran's order"):
        factorise(A)


def test_other_threads_run_meanwhile():
    """A thread that does nothing but look at the clock would stand still for the whole time if they could not."""
    A, beats, inside, ended = positive(2500), [], [], threading.Event()

    def beat():
        while not ended.wait(0.001):
            beats.append(time.perf_counter())

    def met():
        """Whether the thread ran often enough during the calls; a busy machine may let it sleep through one."""
        B = A.copy(order="F")
        began = time.perf_counter()
        assert factorise(B)
        assert invert_factored(B)
        done = time.perf_counter()
        inside.extend(beat for beat in beats if began + 0.01 < beat < done - 0.01)
        return len(inside) >= 5

    thread = threading.Thread(target=beat)
    thread.start()
    try:
        wait_until(met, "five beats during the calls")
    finally:
        ended.set()
        thread.join()
