"""Reads and checks the declarations of corpora: one TOML file."""

import hashlib
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Final, Literal, cast

import orjson
import psutil
from pydantic import (
    AfterValidator,
    ByteSize,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    field_validator,
)

from runtime.schedule_words import MANUAL
from snapshot import LANGUAGES, SCHEMA
from snapshot.edits import ACTING, Edit
from worker.corpora.editor_keys import EditorsKeys, cleaned, edits_of_section, with_lines
from worker.corpora.faults import Fault, corpora_error, declaration_faults, key_lines
from worker.corpora.schedules import check_duration, check_schedule, next_after
from worker.corpora.webhooks import Webhook
from worker.errors import CorpusError
from worker.sources.cleaning import Cleaning
from worker.sources.declarations import FileSource, PushedSource, Source, SqlSource
from worker.sources.formats.registry import format_of, require_package
from worker.vocabulary.rules import Vocabulary, vocabulary


def _parse_size(value: object, parse: ValidatorFunctionWrapHandler) -> ByteSize:
    """A number of bytes or a text with a unit. ByteSize alone would read '1,5GB' and true as one byte."""
    well_formed = (
        ByteSize.byte_string_re.fullmatch(value.strip()) if isinstance(value, str) else type(value) is not bool
    )
    try:
        if well_formed:
            return cast("ByteSize", parse(value))
    except ValidationError:
        pass
    raise ValueError(f"{value!r} is not a size such as '500MB', '4GB' or '4GiB'")


NAME: Final = r"[a-z0-9][a-z0-9_-]{0,63}"
NAME_RULE: Final = "a name consists of a-z, 0-9, - and _, and begins with a letter or digit"

DECIDING = {
    "clean",
    "min_count",
    "teleport",
    "critical_size",
    "sample",
    "vocabulary_limit",
    "synonyms",
    "ban",
    "new_tags",
    "min_new",
    "admit",
    "variants",
    "distinct",
    "implies",
    "nested",
    "nested_counts",
    "inertia",
    "max_exact",
    "micro_clusters",
}
"""The keys that determine the clusters."""


class Declaration(EditorsKeys):
    """One section of the corpora file."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    title: str = ""
    source: Source
    schedule: Annotated[str, AfterValidator(check_schedule)] = "24h"
    jitter: Annotated[str, AfterValidator(check_duration)] = "0s"
    min_count: int = Field(default=5, ge=1)
    teleport: float = Field(default=1e-6, gt=0, lt=1)
    critical_size: Literal["auto"] | Annotated[int, Field(ge=0)] = "auto"
    inertia: float = Field(default=0.3, ge=0, lt=1)
    fresh_every: int = Field(default=20, ge=0)
    fresh_margin: float = Field(default=0.02, ge=0)
    max_drift: float = Field(default=0.5, ge=0, le=1)
    max_loss: float = Field(default=0.5, ge=0, le=1)
    max_recall_drop: float | None = Field(default=None, ge=0, le=1)
    clean: Cleaning = Cleaning()
    time_limit: Annotated[str, AfterValidator(check_duration)] = "2h"
    source_timeout: Annotated[str, AfterValidator(check_duration)] = "10m"
    memory_limit: Annotated[ByteSize, WrapValidator(_parse_size)] | None = None
    keep: int = Field(default=5, ge=1)
    sample: int | None = Field(default=None, ge=2)
    vocabulary_limit: int = Field(default=1_000_000, ge=1)
    new_tags: Literal["open", "staged"] = "open"
    min_new: int = Field(default=3, ge=2)
    max_exact: int = Field(default=10_000, ge=0)
    micro_clusters: int = Field(default=1000, ge=2)
    bad_lines: float = Field(default=0.01, ge=0, le=1)
    watch: bool = False
    documents: bool = True
    language: str | None = None
    webhooks: tuple[Webhook, ...] = ()

    @field_validator("language")
    @classmethod
    def _check_language(cls, language: str | None) -> str | None:
        if language is not None and language not in LANGUAGES:
            raise ValueError(f"{language!r} is no language that queries understand; there are {', '.join(LANGUAGES)}")
        return language

    @field_validator("watch")
    @classmethod
    def _check_watch(cls, watch: bool, info: ValidationInfo) -> bool:
        if watch and info.data.get("schedule") == MANUAL:
            raise ValueError(f"a corpus with schedule = '{MANUAL}' runs only when asked, so its files are not watched")
        return watch


KEYS: Final = {
    (): tuple(Declaration.model_fields),
    ("source", "files"): tuple(FileSource.model_fields),
    ("source", "sql"): tuple(SqlSource.model_fields),
    ("source", "pushed"): tuple(PushedSource.model_fields),
    ("clean",): tuple(Cleaning.model_fields),
    ("webhooks",): tuple(Webhook.model_fields),
}
"""The keys of each table of a section, and of each kind of source."""


class Corpus(Declaration):
    """A declared corpus, with its name and, if its documents are in files, the path or glob of those."""

    name: str
    path: Path | None = None
    edit_lines: tuple[int, ...] = ()
    """The line of each edit."""

    stored_edits: tuple[Edit, ...] = ()
    """What editors decided beside the corpora file."""

    @property
    def decided_forms(self) -> set[str]:
        """The tags about whose concepts editors decided something."""
        return {form for edit in (*self._edits, *self.stored_edits) if edit.kind in ACTING for form in edit.forms}

    @property
    def document_source(self) -> FileSource | SqlSource | PushedSource:
        """The source of the documents; a path alone means a file with the default fields."""
        if isinstance(self.source, str):
            return FileSource(files=self.source, format=format_of(self.source) or "jsonl")
        return self.source

    @property
    def vocabulary(self) -> Vocabulary:
        """The synonyms, the bans and which variants are folded, all cleaned as the tags are."""
        clean = self.clean.clean
        synonyms = {clean(tag): clean(target) for tag, target in self.synonyms.items()}
        distinct = [map(clean, tags) for tags in self.distinct]
        counted_path = self.nested if self.nested_counts else None
        return vocabulary(
            synonyms,
            map(clean, self.ban),
            self.variants,
            distinct,
            implied=self.implications,
            counted_path=counted_path,
        )

    @property
    def implications(self) -> list[tuple[str, str]]:
        """Each tag that implies another one, and that one; cleaned as the tags are."""
        clean = self.clean.clean
        pairs = [
            (tag, to) for tag, given in self.implies.items() for to in ([given] if isinstance(given, str) else given)
        ]
        return [(clean(tag), clean(to)) for tag, to in pairs]

    @property
    def edited_labels(self) -> dict[str, str]:
        """The labels of editors, by tags that are cleaned as those of the documents."""
        return {self.clean.clean(tag): label for tag, label in self.labels.items()}

    @property
    def edits(self) -> tuple[Edit, ...]:
        """What editors declare, as edits of cleaned tags with their lines."""
        lines = self.edit_lines or [None] * len(self._edits)
        return tuple(replace(edit, line=line) for edit, line in zip(self._edits, lines, strict=True))

    @property
    def _edits(self) -> list[Edit]:
        """They without lines, which a run does not have: it adds what was decided beside the file."""
        edits = [edit for edit, _ in edits_of_section(dict(self))]
        return [replace(edit, origin="file", **cleaned(edit, self.clean.clean)) for edit in edits]

    def next_after(self, moment: float) -> float:
        """The time of the next turn after one at `moment`, in seconds since the epoch; infinite if there is none."""
        return next_after(self.schedule, moment)

    @property
    def manual(self) -> bool:
        """Whether it runs only when somebody asks."""
        return self.schedule == MANUAL

    @property
    def memory_limit_bytes(self) -> int:
        """Bytes a run may use: as declared, or what the machine has available now."""
        return int(psutil.virtual_memory().available) if self.memory_limit is None else self.memory_limit

    def parameters(self) -> dict[str, object]:
        """What determines the result of a run, together with the documents; tags are cleaned as the run cleans them."""
        clean = self.clean.clean
        cleaned = {
            "ban": [clean(tag) for tag in self.ban],
            "distinct": [[clean(tag) for tag in tags] for tags in self.distinct],
            "implies": [list(pair) for pair in self.implications],
        }
        return {**self.model_dump(include={*DECIDING, "language"}), **cleaned}

    def digest(self) -> str:
        """Changes when a new run is needed: another declaration, or another layout of snapshots."""
        deciding = {
            **self.model_dump(include={*DECIDING, "source", "title", "labels", "documents", "language"}),
            "schema": SCHEMA,
        }
        return hashlib.sha256(orjson.dumps(deciding, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]


@dataclass(frozen=True)
class Sections:
    """The sections of a corpora file: the good ones as corpora, the names of the broken ones, and all faults."""

    corpora: dict[str, Corpus]
    broken: frozenset[str]
    error: CorpusError | None


def read_sections(path: Path) -> Sections:
    """The sections of a file; CorpusError if it cannot be read at all, or declares nothing."""
    try:
        text = path.read_text(encoding="utf-8")
        content = tomllib.loads(text)
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path}: {error}") from error
    sections = content.pop("corpora", None)
    faults = [Fault((key,), f"unknown section [{key}]; corpora are declared as [corpora.NAME]") for key in content]
    if not faults and (not isinstance(sections, dict) or not sections):
        raise CorpusError(f"{path}: declares no corpus; begin one with [corpora.NAME]")
    corpora: dict[str, Corpus] = {}
    lines = key_lines(text)
    for name, section in sections.items() if isinstance(sections, dict) else ():
        corpus, wrong = _parse_corpus(path.parent, name, section)
        faults += wrong
        if corpus is not None:
            placed = with_lines(edits_of_section(dict(corpus)), ("corpora", name), lines, text)
            corpora[name] = corpus.model_copy(update={"edit_lines": tuple(line for _, line in placed)})
    broken = frozenset(sections or ()) - frozenset(corpora)
    return Sections(corpora, broken, corpora_error(path, text, faults) if faults else None)


def _parse_corpus(folder: Path, name: str, section: object) -> tuple[Corpus | None, list[Fault]]:
    """The corpus of a section, or what is wrong with it."""
    where = ("corpora", name)
    if not re.fullmatch(NAME, name):
        return None, [Fault(where, f"[corpora.{name}]: {NAME_RULE}")]
    if not isinstance(section, Mapping):
        return None, [Fault(where, f"[corpora.{name}] is not a table")]
    try:
        declaration = Declaration.model_validate(section)
    except ValidationError as error:
        return None, declaration_faults(name, error, KEYS)
    try:
        return corpus_in(folder, name, declaration), []
    except CorpusError as error:
        return None, [Fault((*where, "source"), f"[corpora.{name}] source: {error}")]


def corpus_in(folder: Path, name: str, declaration: Declaration) -> Corpus:
    """The declared corpus, with the path of its files relative to a folder; CorpusError if a package for it is missing.

    The files need not exist yet: a run that does not find them fails, and says so.
    """
    corpus = Corpus(**declaration.model_dump(), name=name)
    if not isinstance(corpus.document_source, FileSource):
        return corpus
    require_package(corpus.document_source.kind)
    pattern = Path(os.path.abspath(folder / corpus.document_source.files))  # noqa: PTH100 - links keep their names
    return corpus.model_copy(update={"path": pattern})
