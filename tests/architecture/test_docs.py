"""Compares what the documents list with the code."""

import inspect
import pkgutil
import re
import subprocess
from dataclasses import fields
from pathlib import Path

import click
import pytest

import service.api.operation_metrics
import service.web.metrics
import worker.runs.metrics
from cotag.cli import cli
from cotag.launcher.settings import UpSettings
from snapshot import SCHEMA, Announcement, Heartbeat, RegisteredCorpus, RunRequest, RunStatus, SnapshotMeta, Turn
from snapshot.store import keys
from snapshot.store.operation.outbox import Notice
from snapshot.store.operation.run_history import PastRun
from snapshot.store.snapshots import PARTS
from snapshot.version.documents.document_table import array_paths
from snapshot.version.encoding.codec import DOCUMENTS as DOCUMENT_FIELDS
from snapshot.version.encoding.codec import TAGS
from worker.corpora.declaration import Declaration

ROOT = Path(__file__).parents[2]
PACKAGES = ("tagmodel", "cocluster", "snapshot", "worker", "service", "cotag", "demo", "bench", "tests")
REFERENCE = ROOT / "docs" / "reference"
SETTINGS = (REFERENCE / "settings.md").read_text()
COMMANDS = (REFERENCE / "commands.md").read_text()
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


@pytest.mark.parametrize("name", UpSettings.model_fields)
def test_the_reference_lists_every_setting_with_its_default(name):
    field = UpSettings.model_fields[name]
    row = next((line for line in SETTINGS.splitlines() if line.startswith(f"| `COTAG_{name.upper()}` |")), None)
    assert row is not None, f"COTAG_{name.upper()} is missing from docs/reference/settings.md"
    assert field.description in row
    if field.default_factory is None:
        assert f"| `{field.default}` |" in row


def test_the_reference_lists_no_setting_that_does_not_exist():
    listed = set(re.findall(r"^\| `COTAG_(\w+)` \|", SETTINGS, re.MULTILINE))
    assert listed == {name.upper() for name in UpSettings.model_fields}


@pytest.mark.parametrize("name", Declaration.model_fields)
def test_every_key_of_a_corpus_is_documented(name):
    assert f"| `{name}` |" in (REFERENCE / "corpora.md").read_text()


def test_every_redis_key_is_documented():
    text = (REFERENCE / "redis.md").read_text()
    for name, function in inspect.getmembers(keys, inspect.isfunction):
        if name != "part":
            assert f"`{function('NAME')}`" in text
    for part in PARTS:
        assert f"`{keys.part('NAME', 'VERSION', part)}`" in text
    names = [value for name, value in vars(keys).items() if name.isupper()]
    assert keys.CORPORA in names
    for key in names:
        assert f"`{key}`" in text


def rows_below(heading):
    """The names in the first column of the table below a heading of the pages about a version."""
    text = (REFERENCE / "redis-version.md").read_text() + (REFERENCE / "redis-documents.md").read_text()
    section = text.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)


@pytest.mark.parametrize(
    ("heading", "stored"),
    [
        ("The meta", [*(field.name for field in fields(SnapshotMeta)), "schema", "sha256", "checksum"]),
        ("The arrays", [field.path for field in TAGS]),
        ("The documents", [field.path for field in DOCUMENT_FIELDS]),
        ("The index", list(array_paths())),
    ],
)
def test_every_stored_field_of_a_snapshot_has_a_row_in_the_reference(heading, stored):
    assert sorted(rows_below(heading)) == sorted(stored)


def test_the_reference_describes_the_schema_of_now():
    text = (REFERENCE / "redis.md").read_text() + (REFERENCE / "redis-version.md").read_text()
    assert f"These tables describe schema {SCHEMA} " in text
    assert f"| `schema` | number | the schema of this snapshot, {SCHEMA} |" in text


@pytest.mark.parametrize(
    ("key", "record"),
    [
        (keys.run("NAME"), RunStatus),
        (keys.REQUESTS, RunRequest),
        (keys.DECLARED, RegisteredCorpus),
        (keys.schedule("NAME"), Turn),
        (keys.heartbeat("NAME"), Heartbeat),
        (keys.ANNOUNCEMENTS, Announcement),
        (keys.runs("NAME"), PastRun),
        (keys.NOTICES, Notice),
    ],
)
def test_every_field_of_a_record_is_in_the_row_of_its_key(key, record):
    text = (REFERENCE / "redis.md").read_text()
    (row,) = (line for line in text.splitlines() if line.startswith(f"| `{key}` |"))
    assert set(re.findall(r'"(\w+)"', row)) == {field.name for field in fields(record)}


def test_the_reference_lists_every_command_with_its_options():
    for name, command in cli.commands.items():
        assert f"| `cotag {name}" in COMMANDS
        for option in (parameter for parameter in command.params if isinstance(parameter, click.Option)):
            rows = [line for line in COMMANDS.splitlines() if re.match(rf"\| `{option.opts[0]}[ `]", line)]
            assert any(f"`{name}`" in row for row in rows), f"{option.opts[0]} of {name}"


def test_the_reference_lists_every_metric():
    text = (REFERENCE / "metrics.md").read_text()
    for module in (service.web.metrics, service.api.operation_metrics, worker.runs.metrics):
        for name in re.findall(r'"(cotag_\w+)"', inspect.getsource(module)):
            assert f"`{name}" in text, name


def anchors(text):
    """The fragments that a document offers: its headings as GitHub slugs them, and ids written out."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r'<a id="([^"]+)">', text))


def broken(document):
    for target, fragment in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", document.read_text()):
        path = document.parent / target if target else document
        if not path.exists() or (fragment and fragment not in anchors(path.read_text())):
            yield f"{document.relative_to(ROOT)} links to {target}#{fragment}"


def test_links_between_documents_lead_somewhere():
    assert [link for document in DOCUMENTS for link in broken(document)] == []


def test_documents_that_the_code_names_exist():
    for path in (path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        for name in re.findall(r"docs/[\w/-]+\.md", path.read_text()):
            assert (ROOT / name).exists(), f"{path.relative_to(ROOT)} names {name}"


def test_commands_in_documents_exist():
    makefile = (ROOT / "Makefile").read_text()
    for document in DOCUMENTS:
        for code in re.findall(r"```.*?```|`[^`]+`", document.read_text(), re.DOTALL):
            for command in re.findall(r"(?:^|[`\s/])cotag ([a-z]+)", code):
                assert command in cli.commands, f"{document.name}: cotag {command}"
            for target in re.findall(r"(?:^|[`\s])make ([a-z]+)", code):
                assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"{document.name}: make {target}"


def exists(dotted):
    """Whether a dotted name is a module, or an attribute of one."""
    try:
        pkgutil.resolve_name(dotted)
    except (ImportError, AttributeError):
        return False
    return True


def gone(document):
    """The files, tests and dotted names in code font that do not exist."""
    text = document.read_text()
    for path, name in re.findall(r"`((?:\w+/)+\w+\.py)(?:::(\w+))?`", text):
        file = ROOT / path
        if not file.exists() or (name and f"def {name}(" not in file.read_text()):
            yield f"{document.relative_to(ROOT)}: {path} {name}"
    for dotted in re.findall(r"`((?:tagmodel|cocluster|snapshot|worker|service|cotag)(?:\.\w+)+)`", text):
        if not exists(dotted):
            yield f"{document.relative_to(ROOT)}: {dotted}"


def test_code_that_documents_name_exists():
    assert [name for document in DOCUMENTS for name in gone(document)] == []


def test_make_help_lists_the_targets():
    text = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for target in ("run", "check", "test", "nightly", "bench", "clean"):
        assert re.search(rf"^{target} ", text, re.MULTILINE)
