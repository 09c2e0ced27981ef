"""The plan of the house and its counts are made from the files as they are."""

import ast
from pathlib import Path

import pytest

from bench.shape.__main__ import defined_twice, entries_by_folder, only_for_tests, repeated_windows, shape, table
from bench.shape.modules import PACKAGES, Module, imports, modules
from bench.shape.plan import PICTURE, drawn, rooms

ROOT = Path(__file__).parents[2]


def test_the_picture_in_the_documents_is_the_plan_of_now():
    assert PICTURE.read_text() == drawn(modules(ROOT)), "python -m bench.shape.plan draws it anew"


def test_the_plan_has_every_package_and_room():
    house = rooms(modules(ROOT))
    assert set(house) == set(PACKAGES)
    for package in PACKAGES:
        folders = {path.parent.name for path in (ROOT / package).glob("*/__init__.py")}
        assert folders == set(house[package]) - {""}


def test_no_folder_of_production_shows_more_than_fifteen_entries():
    files = [str(module.path.relative_to(ROOT)) for module in modules(ROOT)]
    full = {folder: count for folder, count in entries_by_folder(files, PACKAGES).items() if count > 15}
    assert full == {}, "make rooms, as docs/research/shape.md has them"


def test_few_public_names_are_defined_twice():
    production = [module for module in modules(ROOT) if module.package in PACKAGES]
    assert len(defined_twice(production)) <= 15, defined_twice(production)


LENGTHS = {"worker/clustering/cluster.py": 90, "worker/runs/job.py": 55, "cocluster/engine/search.py": 50}
"""Functions there were too long once; now they lead through others."""


@pytest.mark.parametrize("path", LENGTHS)
def test_functions_that_lead_through_a_run_fit_a_screen(path):
    tree = ast.parse((ROOT / path).read_text())
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    lines = {node.name: node.end_lineno - node.lineno + 1 for node in functions}
    assert max(lines.values()) <= LENGTHS[path], lines
    assert max(len(node.args.args) + len(node.args.kwonlyargs) for node in functions) <= 10


def written(folder, **texts):
    """A made-up checkout's modules, by their dotted names with __ for a dot."""
    found = []
    for name, text in texts.items():
        path = folder / f"{name}.py"
        path.write_text(text)
        found.append(Module(name.replace("__", "."), path))
    return found


def test_names_defined_twice_and_code_for_tests_alone_are_found(tmp_path):
    made = written(
        tmp_path,
        worker__a="def one(): ...\ndef two(): ...",
        service__b="from worker import a\ndef one(): ...\ndef _two(): ...",
        service__c="",
        tests__test_c="import service.c",
    )
    assert imports(made)["service.b"] == {"worker.a"}
    assert defined_twice([module for module in made if module.package in PACKAGES]) == ["one"]
    assert only_for_tests(made) == ["service.b", "service.c"]


def test_six_equal_lines_are_a_repetition_and_five_are_not(tmp_path):
    lines = "\n".join(f"x{i} = {i}" for i in range(6))
    six = written(tmp_path, worker__a=lines, worker__b=f"first = 1\n{lines}")
    assert repeated_windows(six) == 1
    five = written(tmp_path, worker__a=lines, worker__b=lines.replace("x0", "y0"))
    assert repeated_windows(five) == 0


def test_a_folder_counts_its_modules_and_folders_but_not_its_first_page():
    files = ["worker/__init__.py", "worker/a.py", "worker/b/__init__.py", "worker/b/c.py", "worker/data.txt"]
    assert entries_by_folder(files, ("worker",)) == {"worker": 2, "worker/b": 1}


def test_the_counts_of_this_checkout_make_a_table():
    text = table({"now": shape(ROOT)})
    assert "| public names defined twice, the generated client apart |" in text
    assert len(text.splitlines()) > 15
