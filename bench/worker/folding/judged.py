"""Random folds of real corpora, and what a reader said of each."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.document_files import documents_of
from bench.places import CORPORA
from snapshot import Alias, spelling_key
from worker.sources.blocks import in_blocks
from worker.vocabulary.rules import vocabulary
from worker.vocabulary.tag_corpus import TagCorpus, build_corpus, read_entries

FILE: Final = Path(__file__).parent / "judgements.tsv"
JUDGED: Final = ("radio_large", "citeulike_a", "lastfm_artists")
DRAWN: Final = 200
LEAST_COUNT: Final = 5
SHOWN: Final = 60
"""Tags of a cloud."""


@dataclass(frozen=True)
class Judgement:
    """One fold of a corpus: whether the two are the same tag, and why not."""

    corpus: str
    alias: str
    tag: str
    right: bool
    reason: str


def folded(corpus: str, variants: str = "spelling") -> TagCorpus:
    """A whole corpus with its spellings folded."""
    entries = read_entries(in_blocks(documents_of(CORPORA / f"{corpus}.jsonl.gz")), pairs=False)
    return build_corpus(entries, vocabulary({}, (), variants))  # type: ignore[arg-type]


def draw(corpus: str) -> list[Alias]:
    """Random folds into tags that are common enough for a snapshot, the same ones each time."""
    whole = folded(corpus)
    totals: NDArray[np.float64] = np.asarray(whole.matrix.sum(axis=0)).ravel()
    counts = dict(zip(whole.keys, totals.tolist(), strict=True))
    folds = sorted(
        (alias for alias in whole.aliases if counts[alias.tag] >= LEAST_COUNT),
        key=lambda alias: (alias.name, alias.count, alias.tag),
    )
    drawn = np.random.default_rng(0).permutation(len(folds))[:DRAWN]
    return [folds[place] for place in np.sort(drawn).tolist()]


def repeated(corpus: str) -> int:
    """How many of the 60 commonest tags, without folding, are a spelling of a commoner one."""
    whole = folded(corpus, "off")
    totals: NDArray[np.float64] = np.asarray(whole.matrix.sum(axis=0)).ravel()
    keys = [spelling_key(whole.keys[column]) for column in np.argsort(-totals, kind="stable")[:SHOWN].tolist()]
    return len(keys) - len(set(keys))


def judgements() -> list[Judgement]:
    """All judgements of the file."""
    lines = FILE.read_text(encoding="utf-8").splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    return [Judgement(corpus, alias, tag, verdict == "right", reason) for corpus, alias, tag, verdict, reason in rows]


def table() -> list[str]:
    """The share of right folds by corpus, and the wrong ones."""
    lines = ["| corpus | judged | right | wrong |", "|---|--:|--:|---|"]
    for corpus in JUDGED:
        judged = [each for each in judgements() if each.corpus == corpus]
        wrong = [f"*{each.alias}* → *{each.tag}*: {each.reason}" for each in judged if not each.right]
        share = 1 - len(wrong) / len(judged)
        lines.append(f"| {corpus} | {len(judged)} | {100 * share:.1f} % | {'; '.join(wrong)} |")
    return lines
