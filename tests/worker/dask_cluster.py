"""A Dask cluster of several worker processes. Run as a program it prints its address."""

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from tests.waiting import DEADLINE

WORKERS = 2
PATIENCE = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": f"{DEADLINE:.0f}s"}


@contextmanager
def dask_cluster():
    """A scheduler and its workers in processes of their own: their address."""
    process = subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **PATIENCE},
    )
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.stdin.close()
        process.wait(timeout=DEADLINE)
        process.stdout.close()


def main():
    from distributed import LocalCluster

    with LocalCluster(n_workers=WORKERS, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        print(json.dumps({"address": cluster.scheduler_address}), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
