"""Documents that cannot rot: what they list is compared with the code."""

import inspect
import re
from pathlib import Path

import click
import pytest

from cotag.cli import cli
from cotag.settings import UpSettings
from snapshot import keys
from snapshot.store import PARTS
from worker.corpora import Declaration

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


@pytest.mark.parametrize("name", UpSettings.model_fields)
def test_the_readme_lists_every_setting_with_its_default(name):
    field = UpSettings.model_fields[name]
    row = next((line for line in README.splitlines() if line.startswith(f"| `COTAG_{name.upper()}` |")), None)
    assert row is not None, f"COTAG_{name.upper()} is missing from the README's table"
    assert field.description in row
    if field.default_factory is None:
        assert f"| `{field.default}` |" in row


def test_the_readme_lists_no_setting_that_does_not_exist():
    listed = set(re.findall(r"^\| `COTAG_(\w+)` \|", README, re.MULTILINE))
    assert listed == {name.upper() for name in UpSettings.model_fields}


@pytest.mark.parametrize("name", Declaration.model_fields)
def test_every_key_of_a_corpus_is_documented(name):
    assert f"| `{name}` |" in (ROOT / "docs" / "corpora.md").read_text()


def test_every_redis_key_is_documented():
    text = (ROOT / "docs" / "redis.md").read_text()
    for name, function in inspect.getmembers(keys, inspect.isfunction):
        if name != "part":
            assert f"`{function('NAME')}`" in text
    for part in PARTS:
        assert f"`{keys.part('NAME', 'VERSION', part)}`" in text
    for key in (keys.CORPORA, keys.ANNOUNCEMENTS, keys.REQUESTS, keys.DECLARED, keys.METRICS):
        assert f"`{key}`" in text


def test_the_readme_names_every_command():
    for name in cli.list_commands(click.Context(cli)):
        assert f"cotag {name}" in README


def test_links_between_documents_lead_somewhere():
    for document in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text()):
            assert (document.parent / target).exists(), f"{document.name} links to {target}"


def test_make_help_lists_the_targets():
    import subprocess

    text = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for target in ("run", "check", "test", "nightly", "bench", "clean"):
        assert re.search(rf"^{target} ", text, re.MULTILINE)
