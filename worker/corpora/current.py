"""The declarations in force: those of the corpora file, and where it is broken, the last good ones."""

from pathlib import Path

import structlog

from snapshot import RegisteredCorpus
from worker.corpora.declaration import Corpus, read_sections
from worker.corpora.last_good import LastDeclarations
from worker.errors import CorpusError
from worker.sources.declarations import PushedSource

log = structlog.get_logger()


class Declarations:
    """What a corpora file declares. A broken section leaves the last good one in force, a broken file all of them.

    With a folder for copies, the last good ones survive this process.
    """

    def __init__(self, path: Path, copies: Path | None = None) -> None:
        self._path = path
        self._last = LastDeclarations(path, copies)
        self._stamp: int | None = None
        self.corpora: dict[str, Corpus] = {}
        self.error: CorpusError | None = None
        """What is wrong with the file now."""

    def refresh(self) -> None:
        """Read the file if it changed; log once what is wrong with it."""
        try:
            stamp = self._path.stat().st_mtime_ns
        except OSError as error:
            if self._stamp != 0:
                self._stamp = 0
                self._refuse(CorpusError(f"{self._path}: {error.strerror}"))
            return
        if stamp == self._stamp:
            return
        first, self._stamp = self._stamp is None, stamp
        try:
            sections = read_sections(self._path)
        except CorpusError as error:
            self._refuse(error)
            return
        known = (self.corpora or self._last.read()) if sections.broken else {}
        kept = {name: corpus for name, corpus in known.items() if name in sections.broken}
        self.corpora = {**sections.corpora, **kept}
        self._last.write(self.corpora)
        self.error = None
        if sections.error is not None:
            self._refuse(sections.error)
        elif not first:
            log.info("corpora file reloaded", corpora=sorted(self.corpora))

    def corpus(self, name: str) -> Corpus:
        """A declared corpus; CorpusError with what is wrong if there is none."""
        if name not in self.corpora:
            raise self.error or CorpusError(f"{self._path} declares no corpus {name}")
        return self.corpora[name]

    def _refuse(self, error: CorpusError) -> None:
        self.error = error
        self.corpora = self.corpora or self._last.read()
        log.error("corpora file is invalid, keeping the last good declarations", reason=str(error))


def registered(corpus: Corpus, next_run: float) -> RegisteredCorpus:
    """The declaration of a corpus as the register has it."""
    source = corpus.document_source
    return RegisteredCorpus(
        name=corpus.name,
        title=corpus.title or corpus.name,
        schedule=corpus.schedule,
        next_run=next_run,
        pushed=isinstance(source, PushedSource),
        base_url=source.base_url if isinstance(source, PushedSource) else None,
    )
