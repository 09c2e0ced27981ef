"""A fitted estimator as notebooks show it: a small table of its clusters of tags."""

from collections.abc import Sequence
from html import escape
from typing import Final

from tagmodel import Cluster

MOST_CLUSTERS: Final = 40
MOST_TAGS: Final = 12
"""What a table shows at most."""


def html_summary(title: str, facts: str = "not fitted", clusters: Sequence[tuple[Cluster, list[str]]] = ()) -> str:
    """A heading, a line, and a row for each cluster of tags, the largest first: label, size, leading tags."""
    head = f"<strong>{escape(title)}</strong><br>{escape(facts)}"
    if not clusters:
        return f"<div>{head}</div>"
    ordered = sorted(clusters, key=lambda each: (-each[0].size, each[0].id))
    rows = "".join(_row(cluster, tags) for cluster, tags in ordered[:MOST_CLUSTERS])
    more = len(ordered) - MOST_CLUSTERS
    foot = f"<div>and {more} smaller clusters</div>" if more > 0 else ""
    titles = "".join(f"<th>{name}</th>" for name in ("cluster", "size", "label", "leading tags"))
    return f"<div>{head}<table><thead><tr>{titles}</tr></thead><tbody>{rows}</tbody></table>{foot}</div>"


def _row(cluster: Cluster, tags: list[str]) -> str:
    shown = " · ".join(tags[:MOST_TAGS]) + (" · …" if len(tags) > MOST_TAGS else "")
    left = ' style="text-align: left"'
    return (
        f"<tr><td>{cluster.id}</td><td>{cluster.size}</td>"
        f"<td{left}>{escape(cluster.name)}</td><td{left}>{escape(shown)}</td></tr>"
    )
