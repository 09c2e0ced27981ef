"""Same input, same bytes; progress, cancellation, threads."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest

from cocluster.engine import agglomerate

from . import corpora

PROGRAM = """
import hashlib, sys
import numpy as np
from cocluster.engine import agglomerate
m = agglomerate(np.load(sys.argv[1]))
print(hashlib.sha256(b"".join(c.tobytes() for c in (m.side, m.a, m.b, m.cost, m.divergence, m.loss))).hexdigest())
"""


def digest(merges):
    """All bytes of a result."""
    columns = (merges.side, merges.a, merges.b, merges.cost, merges.divergence, merges.loss)
    return hashlib.sha256(b"".join(column.tobytes() for column in columns)).hexdigest()


@pytest.mark.slow
def test_the_same_input_gives_the_same_bytes_in_any_process_with_any_threads(tmp_path):
    N = corpora.golden("wide")[1]
    np.save(tmp_path / "N.npy", N)
    here = digest(agglomerate(N))
    assert digest(agglomerate(N)) == here
    assert digest(agglomerate(np.asfortranarray(N))) == here
    for threads in ("1", "2"):
        names = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
        environment = os.environ | dict.fromkeys(names, threads) | {"PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", PROGRAM, str(tmp_path / "N.npy")]
        there = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert there.stdout.strip() == here


def test_the_input_is_left_as_it_was():
    N = corpora.golden("small")[1]
    before = N.copy()
    agglomerate(N)
    np.testing.assert_array_equal(N, before)


def test_progress_rises_to_the_end_in_at_most_200_calls():
    calls = []
    agglomerate(np.random.default_rng(0).random((300, 280)) + 0.01, progress=lambda *call: calls.append(call))
    assert len(calls) <= 200
    assert calls == sorted(set(calls))
    assert calls[-1] == (578, 578)


def test_an_exception_from_progress_ends_the_run_at_once():
    class CancelledError(Exception):
        pass

    N = np.random.default_rng(0).random((500, 400)) + 0.01
    called = []

    def cancel(done, in_all):
        called.append(done)
        if done > in_all // 10:
            raise CancelledError

    with pytest.raises(CancelledError):
        agglomerate(N, progress=cancel)
    assert called[-1] < 898 // 5
    assert len([done for done in called if done > 898 // 10]) == 1, "it is not asked again"
