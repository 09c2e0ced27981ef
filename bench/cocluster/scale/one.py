"""One measurement in its own process: python -m bench.cocluster.scale.one METHOD CASE prints its figures as JSON."""

from __future__ import annotations

import json
import sys
import time

from cocluster import CoClustering, checkerboard

from .cases import case
from .memory import forget_peak, peak
from .methods import METHODS


def main() -> None:
    method, name = sys.argv[1:]
    found = case(name)
    small = checkerboard(n=60, m=40, k=3, alpha=0.6, beta=0.5, seed=0)[0]
    CoClustering(max_exact=10, micro_clusters=5).fit(small)  # loads the kernels
    before, started, spent = forget_peak(), time.perf_counter(), time.process_time()
    figures = METHODS[method](found)
    print(
        json.dumps(
            {
                "shape": list(found.matrix.shape),
                "entries": found.matrix.nnz,
                "seconds": round(time.perf_counter() - started, 2),
                "processor_seconds": round(time.process_time() - spent, 2),
                "peak_bytes": peak(),
                "grown_bytes": peak() - before,
                **figures,
            }
        )
    )


main()
