"""Counts what a stranger has to read: lines, names defined twice, modules without a first line, tracked files.

python -m bench.house           this tree
python -m bench.house FOLDER    another checkout, to compare with
"""

import ast
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Final

PACKAGES: Final = ("tagmodel", "cocluster", "snapshot", "worker", "service", "cotag")


def tracked(root: Path) -> list[str]:
    """The files that git tracks."""
    listed = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True)
    return listed.stdout.splitlines()


def public_names(path: Path) -> set[str]:
    """The classes and functions that a module defines at its top, without those that begin with _."""
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    names = (node.name for node in ast.parse(path.read_text()).body if isinstance(node, kinds))
    return {name for name in names if not name.startswith("_")}


def main() -> None:
    """Print the counts of one tree."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    files = [name for name in tracked(root) if (root / name).exists()]
    modules = [name for name in files if name.endswith(".py")]
    for folder in (*PACKAGES, "bench", "tests"):
        own = [name for name in modules if name.startswith(f"{folder}/")]
        lines = sum(len((root / name).read_text().splitlines()) for name in own)
        print(f"{folder:<10} {len(own):4d} modules {lines:6d} lines")
    defined: defaultdict[str, list[str]] = defaultdict(list)
    for name in modules:
        if name.split("/")[0] in PACKAGES:
            for public in public_names(root / name):
                defined[public].append(name)
    twice = {name: places for name, places in defined.items() if len(places) > 1}
    classes = sorted(name for name in twice if name[0].isupper())
    print(f"public names defined more than once: {len(twice)}, of which classes: {len(classes)} {', '.join(classes)}")
    print("functions among them:", ", ".join(sorted(set(twice) - set(classes))))
    silent = [name for name in modules if ast.get_docstring(ast.parse((root / name).read_text())) is None]
    print(f"modules without a first line: {len(silent)} of {len(modules)}")
    print(f"tracked files: {len(files)}")


if __name__ == "__main__":
    main()
