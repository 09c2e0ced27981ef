"""Declarations of corpora: one TOML file, checked whole before anything runs."""

import hashlib
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import orjson
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from worker.errors import CorpusError

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def seconds(text: str) -> int:
    """'90s', '15m', '24h' or '7d' in seconds."""
    found = re.fullmatch(r"(\d+)\s*([smhd])", text.strip())
    if found is None or int(found[1]) == 0:
        raise ValueError(f"{text!r} is not an interval such as '15m', '24h' or '7d'")
    return int(found[1]) * UNITS[found[2]]


def _interval(text: str) -> str:
    seconds(text)
    return text


class Declaration(BaseModel):
    """One corpus as its section of the file declares it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str = ""
    source: str
    schedule: Annotated[str, AfterValidator(_interval)] = "24h"
    min_count: int = Field(default=5, ge=1)
    teleport: float = Field(default=1e-6, gt=0, lt=1)
    critical_size: Literal["auto"] | Annotated[int, Field(ge=0)] = "auto"
    time_limit: Annotated[str, AfterValidator(_interval)] = "2h"
    keep: int = Field(default=5, ge=1)
    sample: int | None = Field(default=None, ge=2)
    bad_lines: float = Field(default=0.01, ge=0, le=1)


class Corpus(Declaration):
    """A declared corpus, with its name and where its documents are."""

    name: str
    path: Path

    @property
    def interval(self) -> int:
        """Seconds between two runs."""
        return seconds(self.schedule)

    @property
    def time_limit_seconds(self) -> int:
        """Seconds after which a run is stopped."""
        return seconds(self.time_limit)

    def parameters(self) -> dict[str, object]:
        """What decides the result of a run, together with the documents."""
        return self.model_dump(include={"min_count", "teleport", "critical_size", "sample"})

    def digest(self) -> str:
        """Changes when the declaration changes in a way that asks for a new run."""
        deciding = {**self.parameters(), "source": self.source, "title": self.title}
        return hashlib.sha256(orjson.dumps(deciding, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]


def read_corpora(path: Path) -> dict[str, Corpus]:
    """All corpora of a file by name, or CorpusError saying what is wrong and where."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path}: {error}") from error
    sections = content.pop("corpora", None)
    if content:
        raise CorpusError(f"{path}: unknown section [{next(iter(content))}]; corpora are declared as [corpora.NAME]")
    if not isinstance(sections, dict) or not sections:
        raise CorpusError(f"{path}: declares no corpus; begin one with [corpora.NAME]")
    return {name: _corpus(path, name, section) for name, section in sections.items()}


def _corpus(path: Path, name: str, section: object) -> Corpus:
    where = f"{path}: [corpora.{name}]"
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,63}", name):
        raise CorpusError(f"{where}: a name consists of a-z, 0-9, - and _, and begins with a letter or digit")
    if not isinstance(section, Mapping):
        raise CorpusError(f"{where} is not a table")
    try:
        declared = Declaration.model_validate(section)
    except ValidationError as error:
        fault = error.errors()[0]
        key = str(fault["loc"][0]) if fault["loc"] else ""
        raise CorpusError(f"{where} {key}: {fault['msg'].removeprefix('Value error, ')}") from error
    source = (path.parent / declared.source).resolve()
    if not source.is_file():
        raise CorpusError(f"{where} source: {source} is not a file")
    return Corpus(**declared.model_dump(), name=name, path=source)
