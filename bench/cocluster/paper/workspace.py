"""How large the experiments are, and where their trials, tables and pictures go."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.trials import Trials


@dataclass(frozen=True)
class Scale:
    """How large the experiments are."""

    n: int
    ks: tuple[int, ...]
    trials: int
    shown_k: int
    documents: int | None
    leaves: int


FULL = Scale(n=1000, ks=(5, 10, 15, 20, 30, 40, 60, 80, 100), trials=5, shown_k=15, documents=None, leaves=15)
QUICK = Scale(n=160, ks=(6, 9), trials=1, shown_k=9, documents=300, leaves=5)


@dataclass(frozen=True)
class Workspace:
    """Where trials, tables and pictures go, and how large the experiments are."""

    trials: Trials
    tables: Path
    images: Path
    scale: Scale

    def measured(self, experiment: str, trial: str, compute: Callable[[], Any]) -> Any:
        """The figures of a trial, which is computed if that has not been done."""
        return self.trials.measured(f"{experiment}: {trial}", compute)

    def publish(self, experiment: str, table: str) -> None:
        """Collect the trials so far and write the table of an experiment, for docs/research/paper.md."""
        self.trials.collect()
        self.tables.mkdir(parents=True, exist_ok=True)
        (self.tables / f"{experiment}.md").write_text(table + "\n")

    def image(self, name: str) -> Path:
        """Where the picture of this name goes."""
        self.images.mkdir(parents=True, exist_ok=True)
        return self.images / f"{name}.png"


def compared(ours: Sequence[float], theirs: Sequence[float]) -> str:
    """In how many pairs ours is higher, equal, lower."""
    pairs = list(zip(ours, theirs, strict=True))
    higher, lower = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
    return f"{higher}/{len(pairs) - higher - lower}/{lower}"


def markdown(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table; the first column is text, the others are figures."""
    rule = ["---", *["--:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in (head, rule, *rows))
