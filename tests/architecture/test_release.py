"""One place says the version, and everything that repeats it agrees."""

import json
import re
import tomllib
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[2]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


def versions_in(name, pattern):
    """What a file says the version is, wherever it says it."""
    return set(re.findall(pattern, (ROOT / name).read_text(), re.MULTILINE))


def test_every_file_that_repeats_the_version_agrees_with_pyproject():
    assert json.loads((ROOT / "clients" / "js" / "package.json").read_text())["version"] == VERSION
    assert versions_in("CITATION.cff", r"^version: (.*)$") == {VERSION}
    assert versions_in("deploy/kubernetes/kustomization.yaml", r"newTag: ([^}]*)}") == {VERSION}
    assert versions_in("docs/how-to/install.md", r"cotag-service:(\S+)") == {VERSION}


def test_the_changelog_begins_with_what_is_unreleased_and_then_the_version():
    first, second, *_ = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert first == "[Unreleased]"
    (dated,) = versions_in("CITATION.cff", r"^date-released: (.*)$")
    assert second == f"[{VERSION}] - {dated}"


def test_no_module_says_a_version_of_its_own():
    """The installed distribution knows it: `cotag --version` asks there."""
    assert version("cotag")
    for package in ("cotag", "service", "worker", "snapshot", "runtime", "cocluster", "tagmodel"):
        for path in (ROOT / package).rglob("*.py"):
            assert "__version__ =" not in path.read_text(), path
