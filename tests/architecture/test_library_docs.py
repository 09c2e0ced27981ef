"""docs/reference/library.md lists every public name of the library, and none that does not exist."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import cocluster
from cocluster import CoClustering, files, plot

TEXT = (Path(__file__).parents[2] / "docs" / "reference" / "library.md").read_text()


def names_below(heading, table):
    """The names in the first column of a table below a heading, the table being known by its own heading."""
    section = TEXT.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = section.split(f"\n| {table} |")[1].split("\n\n")[0]
    first = re.findall(r"^\| ([^|]+) \|", rows, re.MULTILINE)
    return {name for cell in first for name in re.findall(r"`(\w+)`", cell)}


def own_functions(module):
    return {
        name
        for name, each in inspect.getmembers(module, inspect.isfunction)
        if each.__module__ == module.__name__ and not name.startswith("_")
    }


def test_every_parameter_is_listed_with_its_default():
    parameters = CoClustering._defaults()
    assert names_below("`CoClustering`", "parameter") == set(parameters)
    for name, default in parameters.items():
        assert f"| `{name}` | `{default!r}` |" in TEXT


def test_every_method_and_attribute_is_listed():
    model = CoClustering(keep_smoothed=True).fit(np.eye(3))
    public = {name for name in dir(model) if not name.startswith("_")} - set(model.get_params())
    attributes = {name for name in public if name.endswith("_")} | {"feature_names_in_"}
    assert names_below("`CoClustering`", "attribute") == attributes
    assert names_below("`CoClustering`", "method") == public - attributes


@pytest.mark.parametrize(
    ("heading", "names"),
    [
        ("Functions and types", set(cocluster.__all__)),
        ("`cocluster.files`", own_functions(files)),
        ("`cocluster.plot`", own_functions(plot)),
    ],
)
def test_every_public_name_is_listed(heading, names):
    assert names_below(heading, "name") == names


def test_the_signatures_shown_are_those_of_the_code():
    shown = re.findall(r"^\| `(\w+)` \| `(?:CoClustering\.)?\w+\(([^`]*)\)`:", TEXT, re.MULTILINE)
    assert len(shown) == 12
    for name, arguments in shown:
        holder = next(each for each in (CoClustering, files, plot, cocluster) if hasattr(each, name))
        parameters = inspect.signature(getattr(holder, name)).parameters.values()
        plain = [str(each.replace(annotation=inspect.Parameter.empty)) for each in parameters if each.name != "self"]
        given = [each.strip() for each in arguments.replace('"', "'").split(",") if each.strip() != "*"]
        assert given == plain, name
