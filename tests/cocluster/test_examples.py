"""The examples in docstrings and in the documents about the library give what they say."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for package in ("cocluster", "tagmodel")
    for path in sorted((ROOT / package).rglob("*.py"))
    if ">>> " in path.read_text()
]
DOCUMENTS = ["README.md", "docs/tutorial/library.md", "docs/reference/library.md"]
ENTRY_POINTS = {"cocluster.model", "cocluster.incidence", "cocluster.files", "cocluster.metrics", "tagmodel.dendrogram"}


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_run(name):
    outcome = doctest.testmod(importlib.import_module(name))
    assert outcome.attempted
    assert not outcome.failed


def test_what_users_call_first_has_examples():
    assert set(MODULES) >= ENTRY_POINTS


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_examples_of_a_document_run(name, tmp_path, monkeypatch):
    text = (ROOT / name).read_text()
    code = "\n".join(block for block in re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    monkeypatch.chdir(tmp_path)
    examples = doctest.DocTestParser().get_doctest(code, {}, name, name, 0)
    assert examples.examples, f"{name} shows no Python"
    assert not doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(examples).failed
