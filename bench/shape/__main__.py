"""Counts what a stranger has to read: files a folder, lines, names defined twice, repeated code, code for tests alone.

python -m bench.shape            this checkout
python -m bench.shape BEFORE     the same of another checkout beside it
"""

import sys
from collections import Counter, defaultdict
from pathlib import Path
from statistics import median

from bench.shape.modules import PACKAGES, Module, imports, modules, tracked

GENERATED = "cotag.client"
"""Written from openapi.json; it repeats the names of the API by design."""

WINDOW = 6
"""So many lines make a repetition."""


def entries_by_folder(files: list[str], tops: tuple[str, ...]) -> dict[str, int]:
    """How many modules and folders with modules each folder shows."""
    entries: defaultdict[str, set[str]] = defaultdict(set)
    for name in files:
        parts = name.split("/")
        if parts[0] in tops and name.endswith(".py"):
            for depth in range(1, len(parts)):
                if parts[depth] != "__init__.py":
                    entries["/".join(parts[:depth])].add(parts[depth])
    return {folder: len(names) for folder, names in entries.items()}


def defined_twice(production: list[Module]) -> list[str]:
    """Public names that several modules define, the generated client apart."""
    places = Counter(
        name for module in production if not module.name.startswith(GENERATED) for name in module.public_names
    )
    return sorted(name for name, count in places.items() if count > 1)


def only_for_tests(everything: list[Module]) -> list[str]:
    """Modules of production that nothing but tests imports, a package's own `__init__` and commands apart."""
    graph = imports(everything)
    used: set[str] = set()
    for name, targets in graph.items():
        if name.split(".")[0] != "tests":
            used |= targets
    return sorted(
        module.name
        for module in everything
        if module.package in PACKAGES
        and module.name not in used
        and module.path.name not in {"__init__.py", "__main__.py"}
    )


def repeated_windows(chosen: list[Module]) -> int:
    """How many runs of six lines of code stand in more than one place; blank lines, comments and imports apart."""
    places: Counter[tuple[str, ...]] = Counter()
    for module in chosen:
        text = module.path.read_text(encoding="utf-8")
        lines = [line.strip() for line in text.splitlines()]
        code = [line for line in lines if len(line) > 1 and not line.startswith(("#", "import ", "from "))]
        places.update({tuple(code[start : start + WINDOW]) for start in range(len(code) - WINDOW + 1)})
    return sum(count > 1 for count in places.values())


def shape(root: Path) -> dict[str, str]:
    """The counts of one checkout, by what they count."""
    files, everything = tracked(root), modules(root)
    production = [module for module in everything if module.package in PACKAGES]
    counts: dict[str, str] = {}
    for label, tops in (("production", PACKAGES), ("tests", ("tests",)), ("bench", ("bench",))):
        entries = entries_by_folder(files, tops)
        fullest = max(entries, key=lambda folder: entries[folder])
        counts[f"entries a folder, {label}: most"] = f"{entries[fullest]} (`{fullest}/`)"
        counts[f"entries a folder, {label}: median"] = f"{median(entries.values()):g}"
    for package in (*PACKAGES, "tests", "bench"):
        own = [module for module in everything if module.package == package]
        counts[f"`{package}/`: modules, lines"] = (
            f"{len(own)}, {sum(module.lines for module in own):,}" if own else "none"
        )
    counts["longest module of production, lines"] = str(max(module.lines for module in production))
    counts["public names defined twice, the generated client apart"] = str(len(defined_twice(production)))
    written = [module for module in production if not module.name.startswith(GENERATED)]
    counts["runs of six lines that stand twice in production, the generated client apart"] = str(
        repeated_windows(written)
    )
    counts["runs of six lines that stand twice in tests"] = str(
        repeated_windows([module for module in everything if module.package == "tests"])
    )
    counts["modules of production that only tests import"] = str(len(only_for_tests(everything)))
    counts["words of the longest document"] = f"{max(documents(root).values()):,}"
    counts["words of all documents"] = f"{sum(documents(root).values()):,}"
    return counts


def documents(root: Path) -> dict[str, int]:
    """The words of each document."""
    names = [name for name in tracked(root) if name.startswith("docs/") and name.endswith(".md")]
    return {name: len((root / name).read_text(encoding="utf-8").split()) for name in names}


def rooms(root: Path) -> dict[str, str]:
    """What each package shows at its top: the rooms with the number of their modules, then its own modules."""
    shown: dict[str, str] = {}
    for package in PACKAGES:
        own = [module for module in modules(root) if module.package == package and module.name != package]
        counts = Counter(module.room for module in own)
        loose = counts.pop("", 0)
        listed = [f"{room} {count}" for room, count in sorted(counts.items())]
        shown[f"`{package}/`"] = " · ".join([*listed, *([f"{loose} at the top"] if loose else [])]) or "none"
    return shown


def table(columns: dict[str, dict[str, str]]) -> str:
    """One row a count, one column a checkout."""
    rows = [f"| | {' | '.join(columns)} |", "|---|" + "--:|" * len(columns)]
    labels = next(iter(columns.values()))
    rows += [f"| {label} | {' | '.join(counts[label] for counts in columns.values())} |" for label in labels]
    return "\n".join(rows)


def main() -> None:
    """Print the table, and the names behind two of its counts."""
    here = Path.cwd()
    roots = {"before": Path(sys.argv[1]).resolve()} if len(sys.argv) > 1 else {}
    roots["now"] = here
    print(table({name: shape(root) for name, root in roots.items()}))
    print()
    print(table({name: rooms(root) for name, root in roots.items()}).replace("--:|", "---|"))
    everything = modules(here)
    print("\ndefined twice:", ", ".join(defined_twice([m for m in everything if m.package in PACKAGES])))
    print("only tests import:", ", ".join(only_for_tests(everything)) or "none")


if __name__ == "__main__":
    main()
