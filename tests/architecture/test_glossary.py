"""docs/glossary.md defines every name that users and readers of the code meet."""

import importlib
import inspect
import pkgutil
import re
import tomllib
from dataclasses import is_dataclass
from pathlib import Path
from types import ModuleType
from typing import get_args, get_type_hints

import click
import pytest
from pydantic import BaseModel
from typing_extensions import is_typeddict

import service.answers
import service.api.parameters.documents
import service.api.parameters.edits
import service.api.parameters.operation
import service.api.parameters.parameters
import service.api.parameters.time
import service.api.parameters.vocabulary
from cotag.cli import cli
from cotag.commands.curation.edits import EXPECTED as EDIT_ACTIONS
from cotag.commands.snapshots import EXPECTED
from snapshot import OPTIONAL_STAGES, STAGES, State
from worker.corpora.declaration import Declaration
from worker.corpora.webhooks import Webhook
from worker.sources.declarations import FileSource, PushedSource, SqlSource

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "docs" / "glossary.md", *sorted((ROOT / "docs" / "glossary").glob("*.md"))]
GLOSSARY = "\n".join(page.read_text() for page in PAGES)
PACKAGES = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["root_packages"]
ENTRY = re.compile(r"^\| \*\*(?P<word>[^*|]+)\*\* \|(?P<names>[^|]*)\|(?P<meaning>[^|]+)\|$", re.MULTILINE)


def defined() -> set[str]:
    """The names that the entries list in code font."""
    return {name for entry in ENTRY.finditer(GLOSSARY) for name in re.findall(r"`([^`]+)`", entry["names"])}


def records_in(kind: object) -> set[type]:
    """Every dataclass and TypedDict that a type mentions, and all that those mention."""
    found: set[type] = set()
    waiting = [kind]
    while waiting:
        each = waiting.pop()
        waiting += get_args(each)
        if isinstance(each, type) and (is_dataclass(each) or is_typeddict(each)) and each not in found:
            found.add(each)
            waiting += get_type_hints(each).values()
    return found


def api_fields() -> set[str]:
    answers = [getattr(service.answers, name) for name in service.answers.__all__]
    return {name for answer in answers for each in records_in(answer) for name in get_type_hints(each)}


def models_of(module: ModuleType) -> list[type[BaseModel]]:
    return [each for _, each in inspect.getmembers(module, inspect.isclass) if issubclass(each, BaseModel)]


def parameters() -> set[str]:
    modules = (
        service.api.parameters.parameters,
        service.api.parameters.documents,
        service.api.parameters.edits,
        service.api.parameters.operation,
        service.api.parameters.time,
        service.api.parameters.vocabulary,
    )
    fields = (field for module in modules for model in models_of(module) for field in model.model_fields.items())
    return {field.alias or name for name, field in fields}


def command_line() -> set[str]:
    found = {f"cotag {name}" for name in cli.commands} | set(EXPECTED) | set(EDIT_ACTIONS)
    for command in cli.commands.values():
        found |= {parameter.opts[0] for parameter in command.params if isinstance(parameter, click.Option)}
    return found


def corpora_keys() -> set[str]:
    models = (Declaration, FileSource, SqlSource, PushedSource, Webhook)
    return {name for model in models for name in model.model_fields}


def states_and_stages() -> set[str]:
    return {*get_args(State), *STAGES, *OPTIONAL_STAGES}


def modules_of(package: ModuleType) -> list[ModuleType]:
    inner = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    return [package, *(importlib.import_module(each.name) for each in inner if each.ispkg)]


def public_classes() -> set[str]:
    modules = [module for package in PACKAGES for module in modules_of(importlib.import_module(package))]
    names = [(module, name) for module in modules for name in getattr(module, "__all__", ())]
    return {name for module, name in names if inspect.isclass(getattr(module, name))}


@pytest.mark.parametrize(
    "names", [api_fields, parameters, command_line, corpora_keys, states_and_stages, public_classes]
)
def test_the_glossary_defines_every_name(names):
    missing = sorted(names() - defined())
    assert not missing, f"docs/glossary.md defines no {', '.join(missing)}"


def test_the_glossary_names_nothing_that_is_gone():
    known = api_fields() | parameters() | command_line() | corpora_keys() | states_and_stages() | public_classes()
    gone = sorted(defined() - known)
    assert not gone, f"docs/glossary.md still lists {', '.join(gone)}"


def test_every_word_has_one_entry():
    words = [entry["word"] for entry in ENTRY.finditer(GLOSSARY)]
    assert len(words) == len(set(words)), sorted({word for word in words if words.count(word) > 1})


def test_every_row_of_the_glossary_is_an_entry():
    rows = [line for line in GLOSSARY.splitlines() if line.startswith("| ") and not line.startswith("| word |")]
    assert rows
    assert [row for row in rows if not ENTRY.fullmatch(row)] == []
