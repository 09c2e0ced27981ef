"""The results of `python -m bench.service.serving` as Markdown."""

from collections.abc import Mapping
from typing import Any, Final

LABELS: Final = {
    "(a)": "(a) bare function, event loop",
    "(a), headers of CORS and key": "(a), sent the headers of CORS and key",
    "(b)": "(b) bare Flask route, threads",
    "(c)": "(c) counts in Redis, one tag",
}

QUESTIONS: Final = {"page": "page without documents", "results": "page with results"}


def tables(data: Mapping[str, Any]) -> str:
    """Two tables of corpora by name: the requests, and the processes with what they were measured on."""
    return "\n".join([*_requests(data), "", *_processes(data)])


def _requests(corpora: Mapping[str, Any]) -> list[str]:
    lines = [
        "| corpus | question | case | CPU ms | ratio | bar | held | p50 | p99 | failed |",
        "|---|---|---|--:|--:|--:|---|--:|--:|--:|",
    ]
    for corpus, results in corpora.items():
        for row in results["rows"]:
            held = {None: "", True: "yes", False: "no"}[row["held"]]
            label = LABELS.get(row["case"], f"**{row['case']}**")
            figures = f"{row['processor_ms']:.3f} | {_ratio(row)} | {_bar(row)} | {held}"
            latency = f"{row['p50']} | {row['p99']} | {row['failed']}"
            question = QUESTIONS.get(row["question"], row["question"])
            lines.append(f"| {corpus} | {question} | {label} | {figures} | {latency} |")
    return lines


def _ratio(row: Mapping[str, Any]) -> str:
    return f"{row['ratio']:.2f} × {row['of']}" if row["case"] != row["of"] else "1"


def _bar(row: Mapping[str, Any]) -> str:
    if row["bar"] is None:
        return ""
    return f"≤ {row['bar']} ms" if row["in_ms"] else f"≤ {row['bar']} ×"


def _processes(corpora: Mapping[str, Any]) -> list[str]:
    columns = (
        "corpus",
        "tags",
        "documents",
        "own memory of a process, MB",
        "published → served by all, s",
        "p99 before / while published, ms",
        "start until ready: processor s / s",
        "rounds × seconds, load of the machine",
    )
    lines = [f"| {' | '.join(columns)} |", "|---|" + "--:|" * (len(columns) - 1)]
    for corpus, found in corpora.items():
        lines.append(
            f"| {corpus} | {found['tags']:,} | {found['documents']:,} | {found['process_mb']:.0f} "
            f"| {found['served_seconds']:.2f} | {found['p99_quiet']:.1f} / {found['p99_published']:.1f} "
            f"| {found['start_processor_seconds']:.1f} / {found['start_seconds']:.1f} "
            f"| {found['rounds']} × {found['seconds']}, {found['machine']['load']} |"
        )
    return lines
