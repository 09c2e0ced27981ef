"""How queries are read that are no tags as typed: asks running services, and prints right, wrong and silent readings.

    python -m bench.service.spelling demo FILE before=http://127.0.0.1:8001 after=http://127.0.0.1:8000

The queries are made by rule from tags of FILE that five documents or more have; none of them is a tag itself. A
reading is right if the answer names the tag meant, wrong if it names others alone, silent if it names none. A foreign
word, which means no tag, is right if nothing is read.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import urlopen

import numpy as np

from worker.clustering.cluster import load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus

EACH: Final = 50
"""Queries of each kind."""

LEAST: Final = 5
SHORTEST: Final = 5
LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
ALWAYS: Final = ("bank", "star", "river", "guitar", "volcano")

# fmt: off
FOREIGN: Final = (
    *ALWAYS,
    "xylophone", "brainstormed", "obituary", "marmalade", "quagmire", "zeppelin", "hibiscus", "parsley", "walrus",
    "ostrich", "sonata", "gargoyle", "lagoon", "tundra", "yoghurt", "plankton", "meadow", "orchard", "saffron",
    "gondola", "limerick", "haiku", "parliament", "senator", "monarchy", "bishop", "cathedral", "mosque", "pagoda",
    "zenith", "fossil", "granite", "marble", "cobalt", "sulphur", "nectar", "pollen", "thistle", "clover", "acorn",
    "beaver", "otter", "lobster", "salmon", "trout",
)
# fmt: on
"""Ordinary words. Those that are tags of the corpus must be read as these tags."""

Made = tuple[str, str | None]
"""A query, and the tag that it means."""


def edited(random: np.random.Generator, tag: str) -> str:
    """One slip behind the first letter: a letter left out, doubled by another, replaced, or two swapped."""
    at = int(random.integers(1, len(tag) - 1))
    letter = LETTERS[int(random.integers(len(LETTERS)))]
    return (
        tag[:at] + tag[at + 1 :],
        tag[:at] + letter + tag[at:],
        tag[:at] + letter + tag[at + 1 :],
        tag[:at] + tag[at + 1] + tag[at] + tag[at + 2 :],
    )[int(random.integers(4))]


def gerund(tag: str) -> str:
    """Delete → deleting."""
    return f"{tag.removesuffix('e')}ing"


def plural(tag: str) -> str:
    """City → cities."""
    if tag.endswith("y") and tag[-2] not in "aeiou":
        return f"{tag[:-1]}ies"
    return f"{tag}es" if tag.endswith(("s", "x", "z", "ch", "sh")) else f"{tag}s"


def swapped(tag: str) -> str:
    """Credit card → card credit."""
    return " ".join(reversed(tag.replace("-", " ").split()))


def rejoined(tag: str) -> str:
    """credit-card ↔ credit card."""
    return tag.replace("-", " ") if "-" in tag else tag.replace(" ", "-")


def queries(tags: list[str], known: set[str], seed: int) -> Iterator[tuple[str, Made]]:
    """The kind, the text and the meaning of each query."""
    random = np.random.default_rng(seed)
    words = [tag for tag in tags if tag.isalpha() and tag.isascii() and len(tag) >= SHORTEST]
    pairs = [tag for tag in tags if len(tag.replace("-", " ").split()) == 2 and tag.isascii()]
    rules: dict[str, tuple[list[str], Callable[[str], str]]] = {
        "one edit": (words, lambda tag: edited(random, tag)),
        "plural": (words, plural),
        "-ing": (words, gerund),
        "two words swapped": (pairs, swapped),
        "hyphen or space": (pairs, rejoined),
    }
    for kind, (pool, rule) in rules.items():
        made = ((rule(pool[place]), pool[place]) for place in random.permutation(len(pool)).tolist())
        fitting = [(text, tag) for text, tag in made if text != tag and _is_no_other_tag(text, tag, known)]
        yield from ((kind, each) for each in fitting[:EACH])
    yield from (("foreign word", (word, word if word in known else None)) for word in FOREIGN)


def _is_no_other_tag(text: str, tag: str, known: set[str]) -> bool:
    """Whether a query is no tag itself, with a space or with a hyphen: *right left* is *right-left*."""
    return text not in known and (rejoined(text) == tag or rejoined(text) not in known)


def read(url: str, corpus: str, text: str) -> set[str]:
    """The tags that a service reads in a text; none if it refuses it."""
    try:
        with urlopen(f"{url}/v1/corpora/{corpus}/related?q={quote(text)}&limit=1", timeout=30) as answer:  # noqa: S310
            return set(json.load(answer)["query"]["tags"])
    except HTTPError as error:
        if error.code != 404:
            raise
        return set()


def judge(tags: set[str], text: str, meant: str | None) -> str:
    """Right, wrong or silent. All words of the tag as tags of their own are right, too."""
    if meant is None:
        return "wrong" if tags else "right"
    meant, text, tags = meant.replace("_", "-"), text.replace("_", "-"), {tag.replace("_", "-") for tag in tags}
    if not tags:
        return "silent"
    right = meant in tags or tags <= {*meant.replace("-", " ").split(), *text.replace("-", " ").split(), *text.split()}
    return "right" if right else "wrong"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.service.spelling", description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("file", type=Path)
    parser.add_argument("services", nargs="+", help="NAME=URL")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", action="store_true", help="print every wrong reading")
    options = parser.parse_args()
    declared = Corpus(name=options.corpus, source=str(options.file), path=options.file)
    tagged, _ = load_documents(declared, Stages(lambda *_: None))
    counts = np.bincount(tagged.matrix.indices, minlength=tagged.matrix.shape[1])
    tags = [name for name, count in zip(tagged.names, counts.tolist(), strict=True) if count >= LEAST]
    made = list(queries(tags, set(tagged.keys), options.seed))
    services = dict(each.split("=", 1) for each in options.services)
    sides = " | ".join(f"{name}: right, wrong, silent" for name in services)
    print(f"| {options.corpus}, {len(made)} queries | {sides} |")
    print(f"|---|{'--:|' * len(services)}")
    verdicts: dict[str, list[tuple[str, str]]] = {}
    for name, url in services.items():
        verdicts[name] = []
        for kind, (text, meant) in made:
            tags_read = read(url, options.corpus, text)
            verdict = judge(tags_read, text, meant)
            verdicts[name].append((kind, verdict))
            if options.show and verdict == "wrong":
                print(f"{name}: {text!r} means {meant!r}, read as {sorted(tags_read)}")
    for kind in [*dict.fromkeys(kind for kind, _ in made), "all"]:
        cells = []
        for name in services:
            of_kind = [verdict for each, verdict in verdicts[name] if kind in (each, "all")]
            cells.append(", ".join(str(of_kind.count(verdict)) for verdict in ("right", "wrong", "silent")))
        print(f"| {kind} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
