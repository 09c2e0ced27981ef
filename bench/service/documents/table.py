"""The results as Markdown."""

from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any, Final

from bench.service.documents.measuring import CLASSES, EXACT, GRID, OURS, TASKS, corpora
from bench.service.documents.ours import SERVED
from bench.service.documents.rivals import PARTS, RIVALS
from bench.service.documents.tasks import HIDINGS, NAMES, SEEDS, TUNING_SEEDS

Figures = Mapping[str, Any]
TITLES: Final = {
    "third": "third hidden, one tag shared",
    "halves": "halves, none shared",
    "noisy": "noisy",
    CLASSES: "ten nearest of the same class",
}
RANKERS: Final = (OURS, EXACT, *(rival.name for rival in RIVALS))


def figure(figures: Figures, task: str, name: str, ranker: str, seeds: Sequence[int] = SEEDS) -> float | None:
    """The mean over the draws that were measured; None if there are none."""
    found = [figures[key] for seed in seeds if (key := f"{task} {name} {seed} {ranker}") in figures]
    return mean(found) if found else None


def task_mean(figures: Figures, task: str, ranker: str, seeds: Sequence[int] = SEEDS) -> float | None:
    """The mean over the corpora of a task."""
    found = [figure(figures, task, name, ranker, seeds) for name in corpora(task)]
    known = [each for each in found if each is not None]
    return mean(known) if len(known) == len(found) else None


def table(figures: Figures) -> str:
    """The whole report."""
    lines = [
        "# Ranking documents, measured",
        "",
        f"`python -m bench.service.documents`, {figures.get('machine', 'machine not recorded')}.",
        "",
        f"8,000 documents of each corpus in random order, 1,000 asked about, means over {len(SEEDS)} draws; settings",
        f"are chosen on {len(TUNING_SEEDS)} other draws. *Third*: a third of a document's tags is hidden, the query",
        "has them and one other. *Halves*: one half is hidden and is the query. *Noisy*: the index keeps two thirds,",
        "the query draws one half of all. Figures are recall@10 of the document. *Class*: the share of the ten nearest",
        f"documents with the same class. **{OURS}** is the code that the service runs; *{EXACT}* is the same",
        "formula over whole matrices.",
        "",
        "## Means over the corpora",
        "",
        *_means(figures, RANKERS, SEEDS),
        "",
        f"What {OURS} is made of and its earlier forms, beside it on the first draw alone:",
        "",
        *_means(figures, (OURS, *(part.name for part in PARTS)), SEEDS[:1]),
    ]
    for task in TASKS:
        lines += ["", f"## {TITLES[task].capitalize()}", ""]
        lines += [f"| ranker | {' | '.join(corpora(task))} |", "|---|" + "--:|" * len(corpora(task))]
        lines += [
            f"| {_name(ranker)} | "
            + " | ".join(_shown(figure(figures, task, name, ranker)) for name in corpora(task))
            + " |"
            for ranker in RANKERS
        ]
    return "\n".join([*lines, *_grid(figures), *_cost(figures), *_shortcuts(figures), *_postings(figures)]) + "\n"


def _means(figures: Figures, rankers: Sequence[str], seeds: Sequence[int]) -> list[str]:
    """Means over the corpora, one row a ranker."""
    return [
        _row("ranker", *(TITLES[task] for task in TASKS)),
        "|---|" + "--:|" * len(TASKS),
        *(
            _row(_name(ranker), *(_shown(task_mean(figures, task, ranker, seeds)) for task in TASKS))
            for ranker in rankers
        ),
    ]


def _grid(figures: Figures) -> list[str]:
    """Ours by setting, on the tuning draws."""
    keys = {task: [f"grid {task} {name} {seed}" for name in NAMES for seed in TUNING_SEEDS] for task in HIDINGS}
    if not all(key in figures for task in HIDINGS for key in keys[task]):
        return []
    lines = ["", "## The choice of κ, a and w, on the tuning draws", ""]
    lines += [f"| w | κ | a | {' | '.join(HIDINGS)} |", "|---|--:|--:|" + "--:|" * len(HIDINGS)]
    for place, setting in enumerate(GRID):
        means = [mean(figures[key][place] for key in keys[task]) for task in HIDINGS]
        mark = "**" if setting == SERVED else ""
        size = f"({setting.more_tags:g} + |d|)" if setting.more_tags else "|d|"
        power = f"^{setting.size_exponent:g}" if setting.size_exponent != 1 else ""
        cells = (f"{size}{power}".replace("|", "\\|"), f"{setting.own_weight:g}", f"{setting.common_tags:g}")
        lines.append(_row(*(f"{mark}{cell}{mark}" for cell in cells), *(_shown(each) for each in means)))
    return lines


def _cost(figures: Figures) -> list[str]:
    costs = {key.removeprefix("cost "): each for key, each in sorted(figures.items()) if key.startswith("cost ")}
    if not costs:
        return []
    lines = [
        "",
        "## Cost",
        "",
        "Median processor time in milliseconds (95th percentile), ten documents, question by question in turn with",
        "BM25 in NumPy on the same postings. *documents*: 500 queries of one to four tags, each drawn by Zipf's law.",
        "*near*: the same with `match=near`. *similar*: 500 random documents.",
        "",
        "| corpus | documents | question | BM25 | Cotag | ratio of medians |",
        "|---|--:|---|--:|--:|--:|",
    ]
    for name, each in costs.items():
        for title, key in (("documents", "queries"), ("near", "near"), ("similar", "similar")):
            times = each[key]
            lines.append(
                f"| {name} | {each['documents']:,} | {title} | {times['bm25']:.2f} ({times['bm25_slow']:.2f}) "
                f"| {times['ours']:.2f} ({times['ours_slow']:.2f}) | {times['ours'] / times['bm25']:.1f} |"
            )
    lines += ["", "| corpus | entries | build, processor seconds | MB | bytes a document |", "|---|--:|--:|--:|--:|"]
    for name, each in costs.items():
        lines.append(
            f"| {name} | {each['entries']:,} | {each['build_seconds']:.1f} | {each['bytes'] / 1e6:.1f} "
            f"| {each['bytes'] / each['documents']:.0f} |"
        )
    return lines


def _shortcuts(figures: Figures) -> list[str]:
    found = {key.removeprefix("shortcuts "): figures[key] for key in sorted(figures) if key.startswith("shortcuts ")}
    if not found:
        return []
    lines = [
        "",
        "What the shortcuts lose on the whole corpus: recall@10 by the service and by scoring every document with all",
        "neighbours, and the share of the latter's first ten that the service has, too.",
        "",
        "| corpus | task | asked | with shortcuts | without | lost | of the first ten |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {name} | {lost['task']} | {lost['asked']} | {_shown(lost['with'])} | {_shown(lost['without'])} "
        f"| {lost['without'] - lost['with']:+.4f} | {_shown(lost['same'])} |"
        for name, each in found.items()
        for lost in each
    ]
    return lines


def _postings(figures: Figures) -> list[str]:
    if "postings" not in figures:
        return []
    lines = [
        "",
        "## Structures for postings",
        "",
        "radio_large. *All*: find the documents with all tags of a query; *ranked*: the first ten by BM25.",
        "",
        "| structure | bytes a document | load, s | all, ms | ranked, ms |",
        "|---|--:|--:|--:|--:|",
    ]
    for each in figures["postings"]:
        ranked = "–" if each["ranked"] is None else f"{each['ranked']:.2f}"
        lines.append(
            f"| {each['structure']} | {each['bytes']:.0f} | {each['load']:.3f} | {each['all']:.2f} | {ranked} |"
        )
    return lines


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _name(ranker: str) -> str:
    return f"**{ranker}**" if ranker == OURS else ranker


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}".lstrip("0") if value < 1 else "1"
