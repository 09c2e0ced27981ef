"""The results as Markdown."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, Final

import numpy as np

from bench.meaning import refinement
from bench.meaning.blocks import block_table
from bench.meaning.measures import interval, ratio_interval
from bench.meaning.order import order_table
from bench.meaning.partitions import EXPERIMENTS, METHODS
from bench.meaning.parts import FORM
from bench.meaning.queries import PURPOSES
from bench.meaning.samples import NAMES, SEEDS
from bench.meaning.trees import AUTOMATIC, KS
from bench.meaning.variants import VARIANTS
from bench.places import RESULTS
from bench.trials import Trials

BEFORE: Final = "clusters"
"""Clouds as they were: the clusters of the snapshot joined along the tree, and a heap of broad tags."""

FORMS: Final = {BEFORE: "by clusters", FORM: "by the query"}
COLUMNS: Final = {
    "npmi": "NPMI",
    "sets": "sets",
    "single": "one-tag groups",
    "foreign": "foreign headings",
    "unled": "heaviest tag not in heading",
    "biggest": "biggest share",
    "heap": "heap",
    "also": "also",
}
PERCENT: Final = ("foreign", "unled", "biggest", "heap", "also")

Figures = Mapping[str, Any]


def write_report(trials: Trials) -> None:
    """Collect the trials into the data file, and write the tables of all there is."""
    trials.collect()
    (RESULTS / "meaning.md").write_text(report(trials), encoding="utf-8")


def report(trials: Trials) -> str:
    """All tables."""
    sections = (
        ("Clouds of one tag", cloud_rows(trials, "single")),
        ("Clouds of two or three tags", cloud_rows(trials, "several")),
        ("The order of groups", order_rows(trials)),
        ("The first page", first_rows(trials)),
        ("Names of branches", name_rows(trials)),
        ("Agreement of clouds, first pages and partitions", stability_rows(trials)),
        ("Processor time of the grouping", time_rows(trials)),
        ("Variants of the grouping, on questions that choose", variant_rows(trials)),
        ("The partition of the tags", partition_rows(trials)),
        ("The refinement after the cut", refinement_rows(trials)),
        ("Nested stochastic block models", block_rows(trials)),
        ("Stability of partitions between 95 % samples", partition_stability_rows(trials)),
    )
    lines = [
        "# Meaning, measured",
        "",
        "`python -m bench.meaning`. [meaning.md](../../docs/research/meaning.md) explains the measures. 4,000",
        f"documents a corpus, 80 % clustered, 20 % held out, seeds {', '.join(map(str, SEEDS))}. In brackets:",
        "95 % bootstrap intervals over questions.",
        "",
    ]
    for title, rows in sections:
        if len(rows) > 2:
            lines += [f"## {title}", "", *rows, ""]
    return "\n".join(lines)


def order_rows(trials: Trials) -> list[str]:
    """One row a corpus and half of the tags; "choose" is the half that the rule was chosen on."""
    names = [f"order {corpus} {purpose}" for corpus in NAMES for purpose in PURPOSES]
    found = {name: figures for name in names if (figures := trials.get(name)) is not None}
    return order_table(found) if found else []


def refinement_rows(trials: Trials) -> list[str]:
    """One row a corpus and size: the cut alone → refined, means over draws that chose nothing."""
    names = [
        f"refinement {corpus} {size} {seed}"
        for size in refinement.SIZES
        for corpus in refinement.EVERY
        for seed in refinement.FRESH
    ]
    found = {name: figures for name in names if (figures := trials.get(name)) is not None}
    return refinement.refinement_table(found) if found else []


def block_rows(trials: Trials) -> list[str]:
    """One row a corpus and level."""
    names = [f"blocks {corpus} {refinement.FRESH[0]}" for corpus in refinement.EVERY]
    found = {name: figures for name in names if (figures := trials.get(name)) is not None}
    return block_table(found) if found else []


def name_rows(trials: Trials) -> list[str]:
    """One row a corpus: the share of documents that have a tag of a concept that the name of their region mentions."""
    rows = _header(["corpus", "regions of several concepts", "by commonest tags", "by concepts"], left=1)
    for corpus in NAMES:
        found = trials.get(f"names {corpus}")
        if found is not None:
            rows.append(f"| {corpus} | {found['regions']} | {found['before']:.3f} | {found['covered']:.3f} |")
    return rows


def cloud_rows(trials: Trials, kind: str) -> list[str]:
    """One row a corpus and a way of grouping; gain and AUC beside those by clusters."""
    titles = ["corpus", "grouped", "seeds", "gain", "÷ by clusters", "AUC", "− by clusters", *COLUMNS.values()]
    rows = _header(titles, left=2)
    for corpus in NAMES:
        base = _seeds(trials, f"clouds {BEFORE} {corpus} {{}} {kind}")
        for form, title in FORMS.items():
            found = _seeds(trials, f"clouds {form} {corpus} {{}} {kind}")
            if not found:
                continue
            common = [seed for seed in found if seed in base]
            beside = (
                _beside([found[seed] for seed in common], [base[seed] for seed in common]) if form != BEFORE else ()
            )
            ratio, difference = beside or ("", "")
            rows.append(
                _row(
                    corpus,
                    title,
                    len(found),
                    _number(_mean(found.values(), "gain"), 4),
                    ratio,
                    _number(_mean(found.values(), "auc"), 3),
                    difference,
                    *(_shown(name, _mean(found.values(), name)) for name in COLUMNS),
                )
            )
    return rows


def first_rows(trials: Trials) -> list[str]:
    """The first page at both numbers of sets."""
    rows = _header(["corpus", "grouped", "asked for", "gain", "AUC", *COLUMNS.values()], left=2)
    for corpus in NAMES:
        for form, title in FORMS.items():
            found = _seeds(trials, f"first {form} {corpus} {{}}")
            for sets in next(iter(found.values()), {}):
                at = [_headings_as_shares(each[sets]) for each in found.values()]
                rows.append(
                    _row(
                        corpus,
                        title,
                        sets,
                        _number(_mean(at, "gain"), 4),
                        _number(_mean(at, "auc"), 3),
                        *(_shown(name, _mean(at, name)) for name in COLUMNS),
                    )
                )
    return rows


def stability_rows(trials: Trials) -> list[str]:
    """V after 5 % more documents and between 95 % samples; shared: the tags that both clouds show."""
    titles = ["corpus", "grouped", "seeds (more, samples)"]
    titles += ["clouds, 5 % more", "shared", "first page, 5 % more", "clouds, samples", "shared", "first page, samples"]
    titles += ["partition, 5 % more", "partition, samples"]
    rows = _header(titles, left=2)
    for corpus in NAMES:
        partition = list(_seeds(trials, f"stability partition {corpus} {{}} Cotag").values())
        for form, title in FORMS.items():
            grown, samples = (
                list(_seeds(trials, f"stability {how} {form} {corpus} {{}}").values()) for how in ("grown", "samples")
            )
            if not grown and not samples:
                continue
            cells = [_number(_mean(each, name), 3) for each in (grown, samples) for name in ("v", "shared", "first")]
            both = [_number(_mean(partition, name), 3) for name in ("grown", AUTOMATIC)]
            seeds = f"{len(grown)}, {len(samples)}"
            rows.append(_row(corpus, title, seeds, *cells, *(both if form == BEFORE else ["", ""])))
    return rows


def time_rows(trials: Trials) -> list[str]:
    """Microseconds a cloud."""
    rows = _header(["corpus", "tags", "µs for 60 candidates", "machine"], left=1)
    for corpus in NAMES:
        found = list(_seeds(trials, f"time {FORM} {corpus} {{}}").values())
        if found:
            figures = (_number(_mean(found, name), 0) for name in ("tags", "us"))
            rows.append(_row(corpus, *figures, found[0].get("machine", "")))
    return rows


def variant_rows(trials: Trials) -> list[str]:
    """Gain, AUC and V after 5 % more documents of each variant, corpus by corpus; "also" for several tags."""
    rows = _header(["variant", *(f"{corpus}: gain / AUC / V" for corpus in NAMES), "biggest", "also, several"], left=1)
    for title in VARIANTS:
        found = {corpus: trials.get(f"variant {corpus} {title}") for corpus in NAMES}
        known = [figures for figures in found.values() if figures is not None]
        if known:
            cells = [
                "–" if each is None else f"{each['gain']:.4f} / {each['auc']:.3f} / {each['v']:.3f}"
                for each in found.values()
            ]
            shares = (
                _shown(name, _mean(known, key)) for name, key in (("biggest", "biggest"), ("also", "several also"))
            )
            rows.append(_row(title, *cells, *shares))
    return rows


def partition_rows(trials: Trials) -> list[str]:
    """Gain and bits by k: means over the corpora, and on how many a method has more of both than Cotag, or less."""
    found = {
        (method, corpus): list(_seeds(trials, f"partition {corpus} {{}} {method}").values())
        for method in METHODS
        for corpus in NAMES
    }
    corpora = [corpus for corpus in NAMES if all(found[method, corpus] for method in METHODS)]
    levels = [*map(str, KS), AUTOMATIC]
    rows = _header(["method", *(f"{what}, k = {k}" for k in levels for what in ("gain", "bits"))], left=1)
    if not corpora:
        return rows

    def at(method: str, corpus: str, k: str, name: str) -> float:
        return fmean(each[k][name] for each in found[method, corpus])

    for method in METHODS:
        cells = [fmean(at(method, corpus, k, what) for corpus in corpora) for k in levels for what in ("gain", "bits")]
        title = f"{method} (experiment)" if method in EXPERIMENTS else method
        rows.append(_row(title, *(_number(cell, 4 if place % 2 == 0 else 3) for place, cell in enumerate(cells))))
    rows += [
        "",
        f"Wins against Cotag in gain and bits, of {len(corpora)} corpora (both higher / mixed / both lower):",
        "",
    ]
    rows += _header(["method", *(f"k = {k}" for k in levels)], left=1)
    for method in METHODS:
        if method != "Cotag":
            rows.append(_row(method, *(_wins(at, method, corpora, k) for k in levels)))
    rows += ["", "At the automatic k, corpus by corpus (gain / bits):", ""]
    rows += _header(["method", *corpora], left=1)
    for method in METHODS:
        pairs = [(at(method, corpus, AUTOMATIC, "gain"), at(method, corpus, AUTOMATIC, "bits")) for corpus in corpora]
        rows.append(_row(method, *(f"{_number(gain, 4)} / {_number(bits, 2)}" for gain, bits in pairs)))
    rows += ["", "NPMI of the ten commonest tags, weighted by size, and the biggest share (means over corpora):", ""]
    rows += _header(["method", *(f"{what}, k = {k}" for k in levels for what in ("NPMI", "biggest"))], left=1)
    for method in METHODS:
        cells = [
            fmean(at(method, corpus, k, what) for corpus in corpora) for k in levels for what in ("npmi", "biggest")
        ]
        rows.append(_row(method, *(_number(cell, 3) for cell in cells)))
    return rows


def partition_stability_rows(trials: Trials) -> list[str]:
    """V by k, means over corpora and seeds."""
    levels = [*map(str, KS), AUTOMATIC]
    rows = _header(["method", "runs", *(f"k = {k}" for k in levels)], left=1)
    for method in METHODS:
        found = [
            each for corpus in NAMES for each in _seeds(trials, f"stability partition {corpus} {{}} {method}").values()
        ]
        if found:
            rows.append(_row(method, len(found), *(_number(_mean(found, k), 3) for k in levels)))
    return rows


def _wins(at: Callable[[str, str, str, str], float], method: str, corpora: Sequence[str], k: str) -> str:
    better = [
        [at(method, corpus, k, what) > at("Cotag", corpus, k, what) for what in ("gain", "bits")] for corpus in corpora
    ]
    both, neither = sum(all(each) for each in better), sum(not any(each) for each in better)
    return f"{both} / {len(corpora) - both - neither} / {neither}"


def _beside(found: Sequence[Figures], base: Sequence[Figures]) -> tuple[str, str]:
    """The ratio of gains and the difference of AUCs over the same questions, each with its interval."""
    gains, base_gains = (np.array([each["gain"] for run in runs for each in run["each"]]) for runs in (found, base))
    if len(gains) != len(base_gains) or not len(gains):
        return "", ""
    pairs = [
        (each["auc"], other["auc"])
        for run, beside in zip(found, base, strict=True)
        for each, other in zip(run["each"], beside["each"], strict=True)
        if each["auc"] is not None and other["auc"] is not None
    ]
    differences = np.array([one - other for one, other in pairs])
    low, high = ratio_interval(gains, base_gains)
    ratio = f"**{gains.mean() / base_gains.mean():.2f}** [{low:.2f}, {high:.2f}]"
    low, high = interval(differences)
    return ratio, f"{differences.mean():+.3f} [{low:+.3f}, {high:+.3f}]"


def _headings_as_shares(figures: Figures) -> dict[str, Any]:
    headed = figures["headed"] or 1
    return {**figures, **{name: figures[name] / headed for name in ("foreign", "unled")}}


def _seeds(trials: Trials, name: str) -> dict[int, Figures]:
    """The figures of a trial by seed, as far as it has been run."""
    return {seed: found for seed in SEEDS if (found := trials.get(name.format(seed))) is not None}


def _mean(found: Iterable[Figures], name: str) -> float | None:
    values = [each[name] for each in found if each.get(name) is not None]
    return fmean(values) if values else None


def _shown(name: str, value: float | None) -> str:
    if value is not None and name in PERCENT:
        return f"{100 * value:.0f} %"
    return _number(value, 3 if name == "npmi" else 1)


def _number(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _header(titles: Sequence[str], left: int) -> list[str]:
    return [_row(*titles), "|" + "---|" * left + "--:|" * (len(titles) - left)]


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"
