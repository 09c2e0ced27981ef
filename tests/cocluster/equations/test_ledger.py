"""docs/explanation/math.md and the code name the same things."""

import ast
import pkgutil
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LEDGER = (ROOT / "docs" / "explanation" / "math.md").read_text()
NAMES = sorted(set(re.findall(r"`((?:cocluster|tagmodel)(?:\.\w+)+)`", LEDGER)))
TESTS = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", LEDGER)))


@pytest.mark.parametrize("name", NAMES)
def test_every_function_of_the_ledger_exists(name):
    assert callable(pkgutil.resolve_name(name)) or isinstance(pkgutil.resolve_name(name), property)


@pytest.mark.parametrize(("path", "name"), TESTS)
def test_every_test_of_the_ledger_exists(path, name):
    tree = ast.parse((ROOT / path).read_text())
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_each_equation_has_a_formula_a_function_and_a_test():
    rows = re.findall(r"^\| \((\d+)\) \|(.*)\|$", LEDGER, flags=re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(1, 18))
    for number, row in rows:
        assert re.search(r"`(cocluster|tagmodel)\.[\w.]+`", row), number
        assert re.search(r"`tests/[\w/]+\.py::\w+`", row), number
        assert "=" in row or "←" in row, number


def test_the_equations_cited_in_the_code_are_in_the_ledger():
    cited = set()
    for path in [*(ROOT / "cocluster").rglob("*.py"), *(ROOT / "tagmodel").rglob("*.py")]:
        cited |= {int(number) for number in re.findall(r"math\.md \((\d+)\)", path.read_text())}
    assert cited
    assert cited <= set(range(1, 18))
