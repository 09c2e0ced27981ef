import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


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
    """Where results and pictures go, and how large the experiments are."""

    results: Path
    images: Path
    scale: Scale

    def kept(self, experiment: str, trial: str, compute: Callable[[], Any]) -> Any:
        """What <experiment>.json holds for this trial; computed and written there first if it holds nothing."""
        path = self.results / f"{experiment}.json"
        records = json.loads(path.read_text()) if path.exists() else {}
        if trial not in records:
            print(f"  {experiment}: {trial}", flush=True)
            records[trial] = compute()
            lines = (f"{json.dumps(name)}: {json.dumps(record)}" for name, record in sorted(records.items()))
            self._write(path, "{\n" + ",\n".join(lines) + "\n}\n")
        return records[trial]

    def publish(self, experiment: str, table: str) -> None:
        """Keep the table of an experiment beside its trials, for docs/research/paper.md."""
        self._write(self.results / f"{experiment}.md", table + "\n")

    def image(self, name: str) -> Path:
        """Where the picture of this name goes."""
        self.images.mkdir(parents=True, exist_ok=True)
        return self.images / f"{name}.png"

    def _write(self, path: Path, text: str) -> None:
        """Write all of it or nothing, so that an interrupted run loses at most the trial under way."""
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(".part")
        draft.write_text(text)
        draft.replace(path)


def compared(ours: Sequence[float], theirs: Sequence[float]) -> str:
    """In how many pairs ours is higher, equal, lower."""
    pairs = list(zip(ours, theirs, strict=True))
    higher, lower = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
    return f"{higher}/{len(pairs) - higher - lower}/{lower}"


def markdown(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table; the first column is text, the others are figures."""
    rule = ["---", *["--:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in (head, rule, *rows))
