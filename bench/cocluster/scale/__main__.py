"""Everything docs/research/scale.md quotes; an interrupted run resumes.

python -m bench.cocluster.scale             what is missing, one process each; then tables and plots
python -m bench.cocluster.scale --again     everything anew
python -m bench.cocluster.scale --show      tables and plots of what has been measured
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from typing import Any

from bench.places import IMAGES, RESULTS
from bench.trials import Trials

from .report import WHOLE, write_report

GROWTH = (5000, 10_000, 20_000, 50_000, 100_000, 200_000, 586_279)
TAGS = (500, 1000, 2000, 4000)
MANY_TAGS = tuple(f"planted:200000:{m}:50" for m in (52_000, 20_000, 10_000, 5000))
BESIDE = ("tabler_icons", "whatscooking:5000", "board:5000:1000:20")
LARGE = ("whatscooking", "board:20000:1000:30")
PEERS = ("spectral", "minibatch", "louvain", "paris")

MEASUREMENTS = (
    *(("whole", name) for name in WHOLE),
    ("micro", "board:20000:1000:30"),
    *(("micro", f"radio_large:{n}:1000") for n in GROWTH),
    *(("loss", name) for name in ("tabler_icons", "whatscooking:5000", "lastfm_artists")),
    *((method, name) for name in BESIDE for method in ("exact", "micro500", *PEERS)),
    *(("chosen", name) for name in MANY_TAGS),
    ("written", "planted:200000:20000:50"),
    *(("micro", f"radio_large:100000:{m}") for m in TAGS),
    *((method, name) for name in LARGE for method in ("micro", *PEERS) if (method, name) != ("micro", LARGE[1])),
)


def main() -> int:
    trials = Trials("scale")
    if "--again" in sys.argv:
        trials.forget()
    for method, name in () if "--show" in sys.argv else MEASUREMENTS:
        trial = f"{method} {name}"
        if trials.get(trial) is None and (figures := measured(method, name)) is not None:
            trials.put(trial, figures)
    write_report(trials.collect(), RESULTS / "scale.md", IMAGES / "scale")
    return 0


def measured(method: str, name: str) -> dict[str, Any] | None:
    """One measurement in a process of its own; one that fails is told and tried again the next time."""
    print(f"{method} {name}", flush=True)
    module, arguments = ("whole", [name]) if method == "whole" else ("one", [method, name])
    done = subprocess.run(
        [sys.executable, "-m", f"bench.cocluster.scale.{module}", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    about = {"load_average": round(os.getloadavg()[0], 1), "machine": f"{os.cpu_count()} × {platform.machine()}"}
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        return None
    found: dict[str, Any] = {**json.loads(done.stdout.strip().splitlines()[-1]), **about}
    print(f"  {found['seconds']} s, {found['peak_bytes'] / 1e9:.2f} GB", flush=True)
    return found


if __name__ == "__main__":
    sys.exit(main())
