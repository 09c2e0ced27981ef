"""Which trials there are: every ranker on every split of every corpus."""

from bench.trials import Trials
from bench.worker.suggest.rivals import RIVALS
from bench.worker.suggest.splits import NAMES, SEEDS
from bench.worker.suggest.table import OURS, Results


def trial_name(name: str, seed: int, ranker: str) -> str:
    """Of one ranker on one split of a corpus."""
    return f"{name} {seed} {ranker}"


def measured_on(trials: Trials) -> Results:
    """The figures by corpus and ranker, one for each split that is compared."""
    rankers = [*OURS.values(), *(rival.name for rival in RIVALS)]
    return {
        name: {
            ranker: [
                figures
                for seed in compared(trials, name)
                if (figures := trials.get(trial_name(name, seed, ranker))) is not None
            ]
            for ranker in rankers
        }
        for name in NAMES
    }


def compared(trials: Trials, name: str) -> list[int]:
    """The splits on which all rankers that the summary compares have been measured."""
    needed = (OURS["exact"], *(rival.name for rival in RIVALS if "implicit" not in rival.name))
    return [seed for seed in SEEDS if all(trials.get(trial_name(name, seed, ranker)) is not None for ranker in needed)]
