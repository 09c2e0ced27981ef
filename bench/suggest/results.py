"""Where the figures of one ranker on one split are kept."""

import json
from pathlib import Path
from typing import Any, Final

RESULTS: Final = Path(__file__).parents[1] / "results"


def place(name: str, seed: int, ranker: str) -> Path:
    plain = "".join(letter if letter.isalnum() else "_" for letter in ranker.replace("√", "root "))
    return RESULTS / "suggest" / f"{name}-{seed}-{plain}.json"


def write(path: Path, content: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def read(name: str, seed: int, ranker: str) -> dict[str, Any] | None:
    """What was measured, None where nothing was."""
    path = place(name, seed, ranker)
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
