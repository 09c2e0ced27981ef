"""Every merge of the engine beside those of the direct procedure of tests/, on whole corpora; some minutes each.

python -m bench.exact [5000x1000x20] [tabler_icons]
"""

import sys
import time

import numpy as np

from bench.engine import case
from cocluster.engine import agglomerate
from cocluster.pipeline import smoothed
from tests.cocluster.engine import straightforward

NAMES = ("5000x1000x20", "tabler_icons")
FIGURES = {"cost": 1e-15, "divergence": 1e-15, "loss": 1e-13}
"""What is compared besides the merges, to 1e-9 relative (loss: 1e-6) or this."""


def main() -> int:
    return max(compare(name) for name in sys.argv[1:] or NAMES)


def compare(name: str) -> int:
    """Print how many merges are the same; 0 when all are."""
    N = smoothed(case(name)[0], 1e-6, lambda *_: None).matrix
    began = time.perf_counter()
    ours = agglomerate(N)
    between = time.perf_counter()
    ones = np.ones(N.shape[0], dtype=np.int64), np.ones(N.shape[1], dtype=np.int64)
    side, a, b, *figures = straightforward.run(N, ones, composite=True, joint=True, progress=None)
    ended = time.perf_counter()
    same = (ours.side == side) & (ours.a == a) & (ours.b == b)
    first = "" if same.all() else f", the first other one is number {np.argmin(same)}"
    print(f"{name}, {N.shape[0]} × {N.shape[1]}: {same.sum()} of {same.size} merges are the same{first}")
    for (figure, least), expected in zip(FIGURES.items(), figures, strict=True):
        off = np.abs(getattr(ours, figure) - expected)
        relative = np.max(np.where(off > least, off / np.maximum(np.abs(expected), least), 0.0))
        print(f"  {figure}: largest relative difference {relative:.1e}")
    tied = np.sum(np.diff(np.sort(ours.cost)) <= 1e-11 * np.sort(ours.cost)[1:])
    print(
        f"  {tied} neighbouring costs are tied; engine {between - began:.1f} s, direct {ended - between:.0f} s",
        flush=True,
    )
    return 0 if same.all() else 1


if __name__ == "__main__":
    sys.exit(main())
