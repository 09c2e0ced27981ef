"""Watches the files of corpora that declare `watch`: a change is clustered without waiting for the schedule."""

import hashlib
from pathlib import Path
from typing import Final

from sqlalchemy import make_url

from worker.corpora.declaration import Corpus
from worker.errors import CorpusError
from worker.sources.declarations import SqlSource
from worker.sources.file_patterns import matching_files

SETTLED_SECONDS: Final = 2.0
"""A file that changed more recently may still be written."""


def watched_files(corpus: Corpus) -> list[Path]:
    """The files whose change matters: those of the source, or the one of a SQLite database; none if not watched."""
    if not corpus.watch:
        return []
    try:
        if corpus.path is not None:
            return matching_files(corpus.path)
    except CorpusError:  # they are gone for the moment; a run would say so
        return []
    source = corpus.document_source
    if isinstance(source, SqlSource) and source.sql.startswith("sqlite:") and "${" not in source.sql:
        database = Path(make_url(source.sql).database or "")
        return [path for path in (database, database.with_name(f"{database.name}-wal")) if path.is_file()]
    return []


def files_state(corpus: Corpus) -> str:
    """Changes when a watched file does; empty if there is none."""
    states = _states(corpus)
    return hashlib.sha256(repr(states).encode()).hexdigest()[:16] if states else ""


def settled(corpus: Corpus, now: float) -> bool:
    """Whether no watched file changed in the last moment. A date far ahead is a wrong clock, no reason to wait."""
    return all(abs(now - changed / 1e9) >= SETTLED_SECONDS for _, changed, _ in _states(corpus))


def _states(corpus: Corpus) -> list[tuple[str, int, int]]:
    """Name, time of change and size of each watched file; none of them if one is just being replaced."""
    try:
        found = [(str(path), path.stat()) for path in watched_files(corpus)]
    except OSError:
        return []
    return [(path, status.st_mtime_ns, status.st_size) for path, status in found]
