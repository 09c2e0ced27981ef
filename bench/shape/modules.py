"""The modules of a checkout, what each defines and what each imports; nothing is imported to find out."""

import ast
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

PACKAGES: Final = ("cotag", "worker", "service", "cocluster", "snapshot", "runtime", "tagmodel")
"""Production code, as in the layers of pyproject.toml, top down."""


@dataclass(frozen=True)
class Module:
    """One file of Python in a checkout."""

    name: str
    path: Path

    @property
    def package(self) -> str:
        """The top-level package, or `tests`, `bench` and so on."""
        return self.name.split(".")[0]

    @property
    def room(self) -> str:
        """The sub-package below the top; empty for a module at the top itself."""
        parts = self.name.split(".")
        is_folder = len(parts) > 2 or (len(parts) == 2 and self.path.name == "__init__.py")
        return parts[1] if is_folder else ""

    @cached_property
    def tree(self) -> ast.Module:
        """The parsed file."""
        return ast.parse(self.path.read_text(encoding="utf-8"))

    @cached_property
    def lines(self) -> int:
        """How long the file is."""
        return len(self.path.read_text(encoding="utf-8").splitlines())

    @cached_property
    def public_names(self) -> set[str]:
        """The classes and functions that it defines at its top, without those that begin with _."""
        kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        names = (node.name for node in self.tree.body if isinstance(node, kinds))
        return {name for name in names if not name.startswith("_")}

    @cached_property
    def imported_names(self) -> set[str]:
        """Every dotted name that an import anywhere in it mentions; relative imports are not used here."""
        names: set[str] = set()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        return names


def tracked(root: Path) -> list[str]:
    """The files that git has or would add; in a folder that is no checkout, all of it without caches."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    return [name for name in sorted(set(listed.stdout.splitlines())) if (root / name).exists()]


def modules(root: Path) -> list[Module]:
    """Every module of a checkout, by its dotted name."""
    found = []
    for name in tracked(root):
        if name.endswith(".py"):
            dotted = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            found.append(Module(dotted, root / name))
    return found


def imports(all_modules: list[Module]) -> dict[str, set[str]]:
    """The modules of the same checkout that each module imports.

    A name from a package's `__init__` is an import of the package, not of the module that defines it.
    """
    names = {module.name for module in all_modules}
    return {module.name: (module.imported_names & names) - {module.name} for module in all_modules}
