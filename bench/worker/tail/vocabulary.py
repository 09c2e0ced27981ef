"""Asks a running service for tags drawn at random from the whole vocabulary of a corpus, and counts what it finds."""

import json
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote
from urllib.request import urlopen

import numpy as np

from worker.clustering.cluster import load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus

DRAWN: Final = 300
SECONDS: Final = 30
LISTED: Final = 100


def vocabulary(url: str, corpus: str, path: Path, seed: int) -> dict[str, float]:
    """How many of the tags are found by autocomplete, by text, with their count, and with a cloud if one is due."""
    tagged, _ = load_documents(Corpus(name=corpus, source=str(path), path=path), Stages(lambda *_: None))
    matrix, random = tagged.matrix, np.random.default_rng(seed)
    counts = np.bincount(matrix.indices, minlength=matrix.shape[1])
    sizes = np.diff(matrix.indptr)
    rows = np.repeat(np.arange(matrix.shape[0]), sizes)
    company = np.zeros(matrix.shape[1], dtype=np.bool_)
    company[matrix.indices[sizes[rows] > 1]] = True
    drawn = random.choice(matrix.shape[1], min(DRAWN, matrix.shape[1]), replace=False).tolist()

    def ask(address: str) -> dict[str, Any]:
        with urlopen(f"{url}/v1/corpora/{corpus}/{address}", timeout=SECONDS) as answer:  # noqa: S310 - our own service
            found: dict[str, Any] = json.load(answer)
        return found

    found = dict.fromkeys(("autocomplete", "q", "total", "cloud", "cloud due"), 0)
    for tag in drawn:
        name = tagged.names[tag]
        text = quote(name, safe="")
        listed = ask(f"tags?prefix={text}&limit={LISTED}")["tags"]
        found["autocomplete"] += any(each["tag"] == name for each in listed)
        found["q"] += name in ask(f"related?q={text}&limit=1")["query"]["tags"]
        found["total"] += ask(f"documents?tag={text}&match=all&limit=1")["total"] == counts[tag]
        found["cloud due"] += int(company[tag])
        found["cloud"] += bool(company[tag]) and bool(ask(f"cloud?tag={text}")["groups"])
    return {"tags": len(tagged.keys), "drawn": len(drawn), "drawn, rare": int((counts[drawn] < 5).sum()), **found}
