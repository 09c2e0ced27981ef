"""The results as Markdown."""

from collections.abc import Mapping
from statistics import mean
from typing import Any, Final

Result = Mapping[str, Any]
Results = Mapping[str, Mapping[str, list[Any]]]

OURS: Final = {"exact": "Cotag", "local": "Cotag, local form"}
SPECIFICITIES: Final = ("0", "½ (default)", "1")
COLUMNS: Final = (
    ("recall", "recall@10"),
    ("mrr", "MRR"),
    ("tail_recall", "tail recall@10"),
    ("one_tag", "asked with one tag"),
    ("coverage", "tags suggested"),
)


def rows_of(rankers: Mapping[str, list[Result]]) -> dict[str, list[Result]]:
    """One row a ranker; ours has three, one for each specificity, and the local form one."""
    rows: dict[str, list[Result]] = {}
    for ranker, found in rankers.items():
        if ranker == OURS["exact"]:
            for number, specificity in enumerate(SPECIFICITIES):
                rows[f"**{ranker}**, specificity {specificity}"] = [
                    {**each, **each["specificities"][number]} for each in found
                ]
        elif ranker == OURS["local"]:
            rows[ranker] = [{**each, **each["specificities"][1]} for each in found]
        else:
            rows[ranker] = found
    return rows


def table(results: Results) -> str:
    """The whole report."""
    some = next(each for rankers in results.values() for found in rankers.values() for each in found)
    lines = [
        "# Suggestions, measured",
        "",
        f"`python -m bench.worker.suggest`, {some['machine']}.",
        "",
        "80 % of the documents to learn from, 20 % to ask about (3,000 at most), means over the splits measured. Each",
        "tag of a held-out document is hidden in turn and looked for with the rest; every document counts the same.",
        "*Tail*: hidden tags",
        "among the rarer 80 % of all tags. *Asked with one tag*: recall@10 when the query is a single other tag of the",
        "document. *Tags suggested*: share of the tags that are ever among the first ten. Settings",
        "are chosen on a fifth of the training documents. *Build*: learning from the training documents once, without",
        "the choice of settings; *query*: scoring all tags and taking ten, in NumPy.",
        "",
        *_bars(results),
    ]
    for name, rankers in results.items():
        lines += _corpus(name, rows_of(rankers))
    return "\n".join(lines).rstrip() + "\n"


def _bars(results: Results) -> list[str]:
    """Ours beside EASE and T^Y, ratio by ratio."""
    titles = (
        "corpus",
        "recall@10 ÷ EASE",
        "MRR ÷ EASE",
        "tail ÷ EASE",
        "specificity 1: tail ÷ T^Y",
        "specificity 0: recall − best rival",
        "tail that pairs can reach",
    )
    lines = [f"| {' | '.join(titles)} |", "|---|" + "--:|" * (len(titles) - 1)]
    for name, rankers in results.items():
        rows = rows_of(rankers)
        ours = [found for row, found in rows.items() if row.startswith("**")]
        if not (ours[0] and rows["EASE"] and rows["T^Y"]):
            continue
        low, default, high = ours
        ratios = [_mean(default, key) / _mean(rows["EASE"], key) for key in ("recall", "mrr", "tail_recall")]
        rivals = [found for row, found in rows.items() if found and "Cotag" not in row]
        best = max(_mean(found, "recall") for found in rivals)
        lines.append(
            f"| {name} | "
            + " | ".join(f"{ratio:.3f}" for ratio in ratios)
            + f" | {_mean(high, 'tail_recall') / _mean(rows['T^Y'], 'tail_recall'):.3f} "
            f"| {_mean(low, 'recall') - best:+.4f} | {_mean(default, 'reachable'):.3f} |"
        )
    return [*lines, ""]


def _corpus(name: str, rows: Mapping[str, list[Result]]) -> list[str]:
    found = next((each for row in rows.values() for each in row), None)
    if found is None:
        return []
    lines = [
        f"## {name}",
        "",
        f"{found['documents']:,} documents to learn from × {found['tags']:,} tags, {found['asked']:,} asked about.",
        "",
        f"| ranker | {' | '.join(title for _, title in COLUMNS)} | build | query | splits | settings |",
        "|---|" + "--:|" * (len(COLUMNS) + 3) + "---|",
    ]
    for ranker, row in rows.items():
        if row:
            figures = " | ".join(f"{_mean(row, key):.4f}" for key, _ in COLUMNS)
            lines.append(
                f"| {ranker} | {figures} | {_mean(row, 'building_seconds'):.1f} s "
                f"| {1e6 * _mean(row, 'query_seconds'):.0f} µs | {len(row)} "
                f"| {'; '.join(_setting(each) for each in row)} |"
            )
    return [*lines, ""]


def _setting(found: Result) -> str:
    setting = found["setting"]
    if isinstance(setting, dict):
        several, single = (
            ", ".join(f"{exponent:g}" for exponent in setting[name])
            for name in ("popularity_exponents", "single_tag_exponents")
        )
        return (
            f"λ {setting['penalty']:g}, μ {setting['logistic_penalty']:g}, α {setting['logistic_weight']:g}, "
            f"t {several} (one tag {single})"
        )
    if isinstance(setting, list):
        return ", ".join(f"{value:g}" for value in setting)
    return "" if setting is None else f"{setting:g}"


def _mean(found: list[Result], key: str) -> float:
    return mean(float(each[key]) for each in found)
