"""A dendrogram as SVG: root at the left, a row for each leaf, presentation attributes only (no style, no script)."""

from html import escape
from typing import Final

from service.questions.clusters.dendrogram import LabelledBranches
from service.questions.text.xml_text import xml_text
from service.response_cache import CachedResponse
from tagmodel.dendrogram import UNIT

ROW: Final = 16
MARGIN: Final = 24
TREE: Final = 420
LETTER: Final = 6.6
"""About the width of a letter of 12 px, so that the drawing is wide enough for its longest name."""

LONGEST: Final = 60


def svg(tree: LabelledBranches) -> CachedResponse:
    """The tree as SVG; the axis is the height."""
    branches = tree.branches
    top = branches.height(branches.root) or 1.0
    names = [_name(leaf.label, leaf.size) for leaf in tree.leaves]
    width = round(MARGIN * 2 + TREE + 8 + LETTER * max(len(name) for name in names))
    height = MARGIN * 2 + ROW * len(names)

    def x(node: int) -> float:
        return round(MARGIN + TREE * (1.0 - branches.height(node) / top), 1)

    y = [0.0] * (len(names) + len(branches.merges))
    for row, leaf in enumerate(branches.order):
        y[leaf] = MARGIN + ROW * (row + 0.5)
    lines: list[str] = []
    for node, (a, b, _, _) in enumerate(branches.merges, start=len(names)):
        y[node] = (y[a] + y[b]) / 2
        lines.append(f"M{x(a)} {y[a]:g}H{x(node)}V{y[b]:g}H{x(b)}")
    text = [
        f'<text x="{MARGIN + TREE + 6}" y="{y[leaf] + 4:g}">{escape(name)}</text>' for leaf, name in enumerate(names)
    ]
    stubs = [f"M{x(leaf)} {y[leaf]:g}H{MARGIN + TREE}" for leaf in range(len(names)) if tree.leaves[leaf].height > 0]
    title = escape(xml_text(f"{tree.corpus}: {tree.side} in {len(names)} branches, {tree.version}"))
    return CachedResponse(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            f'role="img" font-family="sans-serif" font-size="12" fill="#222"><title>{title}</title>'
            f'<rect width="100%" height="100%" fill="#fff"/>'
            f'<text x="{MARGIN}" y="14" font-size="10" fill="#666">{top:.3g} {UNIT}</text>'
            f'<g fill="none" stroke="#456"><path d="{"".join(lines)}"/>'
            f'<path stroke-dasharray="1 3" d="{"".join(stubs)}"/></g>'
            f"{''.join(text)}</svg>"
        ).encode(),
        "",
        "image/svg+xml",
    )


def _name(label: str, size: int) -> str:
    text = xml_text(label)
    shown = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return shown if size == 1 else f"{shown} ({size})"
