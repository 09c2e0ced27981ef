"""What WordNet says of proposed relations: whether one word is a kind of another, where it knows both.

WordNet is a judge only. Its dictionary files (index.noun, data.noun, noun.exc) are in Debian's wordnet-base.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.worker.proposals.judged import JUDGED, Judgement, judgements
from snapshot import RELATION_KINDS

HYPERNYMS: Final = ("@", "@i")
FIRST: Final = 50


@dataclass(frozen=True, eq=False)
class WordNet:
    """The nouns: their meanings, and the meanings directly above each."""

    meanings: dict[str, list[str]]
    above: dict[str, list[str]]
    irregular: dict[str, str]

    @classmethod
    def read(cls, folder: Path) -> "WordNet":
        """Read the dictionary files of a folder."""
        meanings, above = {}, {}
        for fields in _entries(folder / "index.noun"):
            meanings[fields[0]] = fields[6 + int(fields[3]) :]
        for fields in _entries(folder / "data.noun"):
            at = 4 + 2 * int(fields[3], 16)
            pointers = [fields[at + 1 + 4 * number : at + 5 + 4 * number] for number in range(int(fields[at]))]
            above[fields[0]] = [target for kind, target, part, _ in pointers if kind in HYPERNYMS and part == "n"]
        irregular = dict(line.split()[:2] for line in (folder / "noun.exc").read_text().splitlines())
        return cls(meanings, above, irregular)

    def is_kind(self, tag: str, other: str) -> bool | None:
        """Whether a meaning of the tag is below one of the other; None if it does not know both."""
        own, wanted = self._meanings(tag), set(self._meanings(other))
        if not own or not wanted:
            return None
        reached, waiting = set(own), list(own)
        while waiting:
            for each in self.above[waiting.pop()]:
                if each not in reached:
                    reached.add(each)
                    waiting.append(each)
        return not wanted.isdisjoint(reached - set(own))

    def _meanings(self, tag: str) -> list[str]:
        word = tag.lower().replace(" ", "_").replace("-", "_")
        singulars = [word.removesuffix("s"), word.removesuffix("es"), f"{word.removesuffix('ies')}y"]
        forms = (word, self.irregular.get(word, ""), *(form for form in singulars if word.endswith("s")))
        return next((self.meanings[form] for form in forms if form in self.meanings), [])


def table(wordnet: WordNet) -> Iterator[str]:
    """The first proposals of each relation that were judged: right by eye, and by WordNet where it knows both."""
    kinds = [kind for kind in RELATION_KINDS if any(each.kind == kind for each in judgements())]
    yield f"| | {' | '.join(JUDGED)} |"
    yield "|---|" + "--:|" * len(JUDGED)
    for kind in kinds:
        judged = {corpus: _first(corpus, kind) for corpus in JUDGED}
        shares = [f"{sum(each.right for each in found)} of {len(found)}" for found in judged.values()]
        yield f"| {kind}, by eye | {' | '.join(shares)} |"
        known = {
            corpus: [said for each in found if (said := wordnet.is_kind(each.other, each.tag)) is not None]
            for corpus, found in judged.items()
        }
        yield f"| {kind}, by WordNet | {' | '.join(f'{sum(said)} of {len(said)}' for said in known.values())} |"


def _first(corpus: str, kind: str) -> list[Judgement]:
    return [each for each in judgements() if (each.corpus, each.kind) == (corpus, kind)][:FIRST]


def _entries(file: Path) -> Iterable[list[str]]:
    """The fields of each line, without the licence at the top and the explanations."""
    lines = (line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("  "))
    return (line.partition("|")[0].split() for line in lines)
