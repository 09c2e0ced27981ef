"""The trials of an experiment: each is run once and cached, then all are collected in one compact data file."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote

from bench.places import RESULTS

CACHE: Final = "cache"
"""The folder of single trials below the results. Git ignores it."""

DIGITS: Final = 8
"""Significant digits of a stored figure: with eight, tables and plots are the same as with all."""

COLUMNS: Final = "columns"
"""Marks a list of records that is stored by columns, so that the names of its fields are stored once."""


class Trials:
    """Trials by name.

    A trial that has been run waits in the cache, in a file of its own, so that an interrupted run resumes. `collect`
    moves all of them into the data file `<experiment>.json`, from which tables and plots are made. To run a trial
    again, delete its line there.
    """

    def __init__(self, experiment: str, folder: Path = RESULTS) -> None:
        self.data = folder / f"{experiment}.json"
        self._cache = folder / CACHE / experiment

    @cached_property
    def _collected(self) -> dict[str, Any]:
        return read(self.data) if self.data.exists() else {}

    def get(self, name: str) -> Any | None:
        """The figures of a trial, None if it has not been run. What was measured again is in the cache."""
        path = self._path(name)
        if path.exists():
            return unpacked(json.loads(path.read_text(encoding="utf-8")))
        return self._collected.get(name)

    def put(self, name: str, figures: Any) -> Any:
        """Store the figures of a trial in the cache; return them as they are read from there."""
        stored = _dumped(figures)
        _write(self._path(name), stored + "\n")
        return unpacked(json.loads(stored))

    def measured(self, name: str, run: Callable[[], Any]) -> Any:
        """The figures of a trial, which is run if that has not been done."""
        figures = self.get(name)
        if figures is None:
            print(f"  {name}", flush=True)
            figures = self.put(name, run())
        return figures

    def names(self) -> list[str]:
        """Of all trials that have been run."""
        return sorted({*self._collected, *(unquote(path.stem) for path in self._cache.glob("*.json"))})

    def collect(self) -> dict[str, Any]:
        """Move the cached trials into the data file; return all trials."""
        self._collected.update({name: self.get(name) for name in self.names()})
        write(self.data, self._collected)
        self._empty_cache()
        return self._collected

    def forget(self) -> None:
        """Drop all trials, to run them again."""
        self._collected.clear()
        self.data.unlink(missing_ok=True)
        self._empty_cache()

    def _empty_cache(self) -> None:
        for path in self._cache.glob("*.json"):
            path.unlink()

    def _path(self, name: str) -> Path:
        return self._cache / f"{quote(name, safe=' ')}.json"


def read(path: Path) -> dict[str, Any]:
    """The records of a data file by name."""
    records: dict[str, Any] = unpacked(json.loads(path.read_text(encoding="utf-8")))
    return records


def write(path: Path, records: Mapping[str, Any]) -> None:
    """Write a data file: one line for each record, in the order of their names."""
    lines = (f"{json.dumps(name, ensure_ascii=False)}:{_dumped(record)}" for name, record in sorted(records.items()))
    _write(path, "{\n" + ",\n".join(lines) + "\n}\n")


def packed(value: Any) -> Any:
    """A value as it is stored: figures rounded, lists of records with the same fields by columns."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, Mapping):
        return {name: packed(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        if _are_records(value):
            return {COLUMNS: {name: packed([each[name] for each in value]) for name in value[0]}}
        return [packed(each) for each in value]
    return value


def unpacked(value: Any) -> Any:
    """The value of which `packed` was made."""
    if isinstance(value, list):
        return [unpacked(each) for each in value]
    if not isinstance(value, dict):
        return value
    if value.keys() != {COLUMNS}:
        return {name: unpacked(each) for name, each in value.items()}
    columns = {name: unpacked(each) for name, each in value[COLUMNS].items()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _are_records(values: Sequence[Any]) -> bool:
    """Whether these are records of the same fields, at least one of each."""
    return bool(values and isinstance(values[0], Mapping) and values[0]) and all(
        isinstance(each, Mapping) and each.keys() == values[0].keys() for each in values
    )


def _dumped(value: Any) -> str:
    return json.dumps(packed(value), ensure_ascii=False, separators=(",", ":"))


def _write(path: Path, text: str) -> None:
    """Write all of it or nothing, so that an interrupted run loses at most the trial in progress."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".part")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)
