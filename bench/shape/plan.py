"""Draws the plan of the house from the imports of its modules: packages, their rooms, and what each room uses.

python -m bench.shape.plan            writes docs/images/plan.svg
"""

from collections import defaultdict
from html import escape
from typing import Final

from bench.places import IMAGES, ROOT
from bench.shape.modules import PACKAGES, Module, imports, modules

PICTURE: Final = IMAGES / "plan.svg"

LEVELS: Final = (("cotag",), ("worker", "service"), ("cocluster", "snapshot"), ("runtime", "tagmodel"))
"""From the top down; a package imports only packages below it."""

WIDTH: Final = 1400
ROW: Final = 19
HEAD: Final = 46
GAP: Final = 26
STYLE: Final = """
  text { font: 13px system-ui, sans-serif; fill: #1f2933; }
  .package { font-weight: 600; font-size: 16px; }
  .uses { fill: #52606d; font-size: 12px; }
  rect { fill: #f5f7fa; stroke: #9aa5b1; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e4e7eb; } .uses { fill: #9aa5b1; } rect { fill: #1f2933; stroke: #616e7c; }
  }
"""


def rooms(all_modules: list[Module]) -> dict[str, dict[str, int]]:
    """The rooms of each package, with the number of their modules; "" is the package's own top."""
    found: defaultdict[str, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
    for module in all_modules:
        if module.package in PACKAGES:
            found[module.package][module.room] += 1
    return {package: dict(found[package]) for package in PACKAGES if package in found}


def uses(all_modules: list[Module]) -> dict[tuple[str, str], set[tuple[str, str]]]:
    """The rooms that each room imports, as (package, room)."""
    place = {module.name: (module.package, module.room) for module in all_modules if module.package in PACKAGES}
    graph = imports(all_modules)
    found: defaultdict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    for name, room in place.items():
        found[room] |= {place[target] for target in graph[name] if target in place} - {room}
    return dict(found)


def described(room: tuple[str, str], used: set[tuple[str, str]]) -> str:
    """What a room imports: rooms of its own package by name, and the names of other packages."""
    own = sorted(name for package, name in used if package == room[0] and name)
    others = sorted({package for package, _ in used if package != room[0]}, key=PACKAGES.index)
    return " · ".join([*own, *others])


def by_flow(package: str, names: list[str], graph: dict[tuple[str, str], set[tuple[str, str]]]) -> list[str]:
    """The rooms of a package from those that use the others to those that are used: fewest users inside come first."""

    def users(name: str) -> int:
        return sum((package, name) in graph.get((package, other), set()) for other in names if other)

    return sorted(names, key=lambda name: (name != "", users(name), name))


def drawn(all_modules: list[Module]) -> str:
    """The plan as SVG."""
    house, graph = rooms(all_modules), uses(all_modules)
    parts: list[str] = []
    top = GAP
    for level in LEVELS:
        packages = [package for package in level if package in house]
        width = (WIDTH - GAP * (len(packages) + 1)) / len(packages)
        height = HEAD + ROW * max(len(house[package]) for package in packages)
        for place, package in enumerate(packages):
            left = GAP + place * (width + GAP)
            parts.append(f'<rect x="{left:g}" y="{top}" width="{width:g}" height="{height}" rx="6"/>')
            count = sum(house[package].values())
            parts.append(text(left + 12, top + 22, f"{package}/ ({count} modules)", "package"))
            for line, name in enumerate(by_flow(package, list(house[package]), graph)):
                below = top + HEAD + ROW * line
                label = f"{name}/ ({house[package][name]})" if name else f"at the top ({house[package][name]})"
                parts.append(text(left + 12, below, label))
                parts.append(
                    text(left + 150, below, described((package, name), graph.get((package, name), set())), "uses")
                )
        top += height + GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top}" role="img">\n'
        f"<title>The packages, their rooms, and what each room imports</title>\n<style>{STYLE}</style>\n"
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def text(left: float, top: float, content: str, kind: str = "") -> str:
    """One line of the picture."""
    attribute = f' class="{kind}"' if kind else ""
    return f'<text x="{left:g}" y="{top:g}"{attribute}>{escape(content)}</text>'


def main() -> None:
    """Write the picture."""
    PICTURE.write_text(drawn(modules(ROOT)), encoding="utf-8")
    print(f"written to {PICTURE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
