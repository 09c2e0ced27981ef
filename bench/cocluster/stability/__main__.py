"""Measure what is missing, then write the table and the plots: python -m bench.cocluster.stability"""

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

from bench.cocluster.stability import __doc__ as usage
from bench.cocluster.stability.arrival import arrivals
from bench.cocluster.stability.chain import FRESH, Chain, Setting, run
from bench.cocluster.stability.plot import plot_arrivals, plot_chains
from bench.cocluster.stability.samples import documents
from bench.cocluster.stability.table import (
    Chains,
    Result,
    arrivals_table,
    chains_table,
    machine,
    once_table,
    summary,
    tuning_table,
)
from bench.places import CORPORA, IMAGES, RESULTS
from bench.trials import Trials
from worker.corpora.declaration import Declaration

DEFAULT: Final[float] = Declaration.model_fields["inertia"].default

SIZES: Final = {"tabler_icons": 5233, "whatscooking": 5000}
BATCHES: Final = 10
SEEDS: Final = (103,)
"""Splits of the documents. The rules for the cut and for new tags were settled on others (100, 101 and 102)."""
SETTINGS: Final = [Setting(f"inertia {inertia:g}", inertia) for inertia in sorted({0.0, 0.1, 0.3, 0.5, DEFAULT})]
GROWING: Final = [Chain(corpus, seed, size, BATCHES) for seed in SEEDS for corpus, size in SIZES.items()]
ONCE: Final = [Chain(corpus, seed, size, 1) for corpus, size in SIZES.items() for seed in range(110, 115)]
"""The last 5 % of either corpus added to a fresh run on the rest, on splits that nothing was settled on either."""

TUNING: Final = [Chain(corpus, seed, 1500, 5) for corpus in SIZES for seed in (0, 1)]
FIXED: Final = (12, 30, 90)
TRIED: Final = [
    Setting("the paper", 0.0),
    Setting("12, 30, 90 and the cut", 0.3, factors=((1, 1),), fixed=FIXED, tolerance=0.02, jumps=True),
    Setting("the cut", 0.3, factors=((1, 1),), tolerance=0.02, jumps=True),
    Setting("documents ×8, tags ×1", 0.3, factors=((8, 1),), tolerance=0.02, jumps=True),
    *(Setting("documents ×8, tags ×1", inertia, factors=((8, 1),), tolerance=0.02) for inertia in (0.2, 0.3, 0.5)),
    *(Setting("documents ×8, tags ×1", 0.3, factors=((8, 1),), tolerance=tolerance) for tolerance in (0.0, 0.05)),
]

ARRIVING: Final = {
    "tabler_icons": ("Food", "Vehicles", "Sport", "Laundry", "Letters", "Math"),
    "whatscooking": ("indian", "japanese"),
}
"""That new tags are by themselves was chosen after a look at the first four and at indian."""

ARRIVAL_SEED: Final = 100
ARRIVAL_INERTIAS: Final = (0.0, DEFAULT)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.cocluster.stability",
        description=usage,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", nargs="?", choices=["show", "tune", "report"], default="show")
    options = parser.parse_args()
    if options.what != "report" and not CORPORA.exists():
        raise SystemExit(f"{CORPORA} is not there: nothing to measure")
    trials = Trials("stability")
    if options.what == "tune":
        for setting in TRIED:
            for chain in TUNING:
                measured(trials, chain, setting)
    elif options.what == "show":
        show(trials)
    report(trials)


def show(trials: Trials) -> None:
    """The chains of every inertia, and the arrivals, that have no result yet; first what the summary needs."""
    for chain in (*GROWING, *ONCE):
        for setting in SETTINGS:
            if setting.inertia in ARRIVAL_INERTIAS:
                measured(trials, chain, setting)
    for corpus, labels in ARRIVING.items():
        for label in labels:
            arrived(trials, corpus, label)
    for chain in GROWING:
        if chain.seed == SEEDS[0]:
            for setting in SETTINGS:
                measured(trials, chain, setting)


def measured(trials: Trials, chain: Chain, setting: Setting) -> None:
    """One chain, unless its result is there."""

    def steps() -> dict[str, object]:
        if setting.inertia > 0 and not list(FRESH.glob(f"{chain.name}-*.npz")):
            for _ in run(chain, Setting("the paper", 0.0)):
                pass
        return {"machine": machine(), "steps": [asdict(step) for step in run(chain, setting)]}

    trials.measured(chain_name(chain, setting), steps)


def arrived(trials: Trials, corpus: str, label: str) -> None:
    """One label held out and brought in, unless its result is there."""
    inertias = [inertia for inertia in ARRIVAL_INERTIAS if trials.get(arrival_name(corpus, label, inertia)) is None]
    if inertias:
        found = documents(corpus, ARRIVAL_SEED, SIZES[corpus])
        for inertia, outcome in arrivals(corpus, found, label, inertias):
            name = arrival_name(corpus, label, inertia)
            trials.put(name, {"corpus": corpus, "inertia": inertia, **asdict(outcome)})
            print(f"  {name}", flush=True)


def report(trials: Trials) -> None:
    """The table and the plots, of whatever has been measured."""
    trials.collect()
    (RESULTS / "stability.md").write_text(table(trials), encoding="utf-8")
    plot_chains(growing(trials, SEEDS[:1]), DEFAULT, IMAGES / "stability.png")
    plot_arrivals(came(trials), IMAGES / "stability-arrivals.png")


def table(trials: Trials) -> str:
    """The whole report."""
    once = {
        (chain.corpus, chain.seed): {setting.inertia: trials.get(chain_name(chain, setting)) for setting in SETTINGS}
        for chain in ONCE
    }
    tried = [
        (setting, chain, result)
        for setting in TRIED
        for chain in TUNING
        if (result := trials.get(chain_name(chain, setting)))
    ]
    chains = growing(trials, SEEDS)
    return "\n".join(
        [
            "# Continuity, measured",
            "",
            *summary(chains, DEFAULT),
            *once_table(once, DEFAULT),
            *chains_table(chains),
            *arrivals_table(came(trials)),
            *tuning_table(tried),
        ]
    )


def growing(trials: Trials, seeds: Sequence[int]) -> Chains:
    """The chains of ten batches on these splits, by inertia."""
    return {
        f"{chain.corpus}, split {chain.seed}": {
            setting.inertia: trials.get(chain_name(chain, setting)) for setting in SETTINGS
        }
        for chain in GROWING
        if chain.seed in seeds
    }


def came(trials: Trials) -> list[Result]:
    """The arrivals that have been measured."""
    return [
        result
        for corpus, labels in ARRIVING.items()
        for label in labels
        for inertia in ARRIVAL_INERTIAS
        if (result := trials.get(arrival_name(corpus, label, inertia)))
    ]


def chain_name(chain: Chain, setting: Setting) -> str:
    """Of the trial of a chain."""
    name = f"{chain.name} {setting.name} {setting.inertia:g}"
    if setting.tolerance is not None:
        name += f" {setting.tolerance:g}" + (" jumps" if setting.jumps else "")
    return name


def arrival_name(corpus: str, label: str, inertia: float) -> str:
    """Of the trial of an arrival."""
    return f"arrival {corpus} {label} {inertia:g}"


if __name__ == "__main__":
    main()
