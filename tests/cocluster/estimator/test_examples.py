"""The examples in docstrings and in the documents about the library give what they say."""

import doctest
import importlib
import inspect
import re
from pathlib import Path

import pytest

import cocluster
import tagmodel

ROOT = Path(__file__).parents[3]
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for package in ("cocluster", "tagmodel")
    for path in sorted((ROOT / package).rglob("*.py"))
    if ">>> " in path.read_text()
]
DOCUMENTS = ["README.md", "docs/tutorial/library.md", "docs/reference/library.md"]
ENTRY_POINTS = {
    "cocluster.estimator.model",
    "cocluster.equations.incidence",
    "cocluster.files",
    "cocluster.evaluation.metrics",
    "tagmodel.dendrogram",
}


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_run(name):
    outcome = doctest.testmod(importlib.import_module(name))
    assert outcome.attempted
    assert not outcome.failed


def test_what_users_call_first_has_examples():
    assert set(MODULES) >= ENTRY_POINTS


@pytest.mark.parametrize("package", [cocluster, tagmodel], ids=lambda package: package.__name__)
def test_every_public_function_says_what_it_takes_and_gives_and_shows_it(package):
    functions = [each for name in package.__all__ if inspect.isfunction(each := getattr(package, name))]
    assert functions
    for function in functions:
        text = inspect.getdoc(function)
        for part in ("Args:", "Returns:", ">>> "):
            assert part in text, f"{function.__name__} has no {part}"
        for name in inspect.signature(function).parameters:
            assert f"\n    {name}: " in text, f"{function.__name__} does not describe {name}"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_examples_of_a_document_run(name, tmp_path, monkeypatch):
    text = (ROOT / name).read_text()
    code = "\n".join(block for block in re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    monkeypatch.chdir(tmp_path)
    examples = doctest.DocTestParser().get_doctest(code, {}, name, name, 0)
    assert examples.examples, f"{name} shows no Python"
    assert not doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(examples).failed
