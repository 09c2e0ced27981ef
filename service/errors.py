"""The errors of the service; `problems` turns them into HTTP."""

from dataclasses import dataclass
from typing import Literal

Reason = Literal[
    "clustering",
    "queued",
    "interrupted",
    "no-worker",
    "no-scheduler",
    "failed",
    "cancelled",
    "held",
    "not-started",
    "empty",
    "unreadable",
    "store-away",
]
"""Why a corpus has no snapshot, in a word."""


@dataclass(frozen=True)
class Absence:
    """Why there is no snapshot: a word for programs, a sentence for people."""

    reason: Reason
    detail: str
    passes: bool = True
    """Whether this may end without a change of the corpus, so that waiting helps."""

    text: str = ""
    """The error itself, with names of files and tables, and lines of data: for operators alone."""

    @property
    def expected(self) -> bool:
        """Whether this is no fault: the corpus is new, and its first run is under way or comes next."""
        return self.reason in {"clustering", "queued"}

    @property
    def for_operators(self) -> str:
        """The sentence with the error itself."""
        return f"{self.detail}. {self.text}" if self.text else self.detail


class ServiceError(Exception):
    """The service cannot answer a request; the message gives the reason."""


class UnknownCorpus(ServiceError):
    """No corpus of this name is declared or published."""


class NothingServed(ServiceError):
    """The corpus has no snapshot in memory; `absence` says why."""

    def __init__(self, absence: Absence) -> None:
        super().__init__(absence.detail)
        self.absence = absence


class UnknownTags(ServiceError):
    """No word of a text is a tag of the corpus, or an exact tag is not."""

    def __init__(self, message: str, suggestions: list[str]) -> None:
        super().__init__(message)
        self.suggestions = suggestions


class UnknownCluster(ServiceError):
    """The snapshot has no cluster of this id."""


class UnknownDocument(ServiceError):
    """The snapshot has no document of this id."""

    def __init__(self, message: str, suggestions: list[str]) -> None:
        super().__init__(message)
        self.suggestions = suggestions


class UnknownVersion(ServiceError):
    """The store has no such version."""


class VersionGone(ServiceError):
    """Nothing is known of a version any more; `oldest` is the oldest of which something is."""

    def __init__(self, message: str, oldest: str) -> None:
        super().__init__(message)
        self.oldest = oldest


class UnknownJob(ServiceError):
    """No such job, or one that ended long ago."""


class DocumentsUnavailable(ServiceError):
    """This service cannot hold the documents of a version at the moment; it answers everything else."""


class Busy(ServiceError):
    """So many requests of this kind are under way that another would take too much memory; soon it will not."""


class WrongParameters(ServiceError):
    """A parameter is unknown or has an impossible value."""


class OutOfRange(ServiceError):
    """A parameter is valid, but not for this corpus."""


class NotPossible(ServiceError):
    """The state of the corpus or job does not allow this."""


class KeyRequired(ServiceError):
    """An API key is missing, unknown or expired."""


class KeyTooNarrow(ServiceError):
    """The scope of the key does not allow this."""


class WritingDisabled(ServiceError):
    """No API keys are configured, so nobody may write."""


class TooManyRequests(ServiceError):
    """The client exceeded its rate limit."""

    def __init__(self, seconds: float) -> None:
        super().__init__("too many requests; come back a little later")
        self.seconds = seconds


class TooBusy(ServiceError):
    """Too many requests wait for a thread already."""


class WrongLines(ServiceError):
    """Some lines of a body are not documents; the service stored none of it."""

    def __init__(self, message: str, lines: list[tuple[int, str]]) -> None:
        super().__init__(message)
        self.lines = lines


class WrongBody(ServiceError):
    """A body is not what the endpoint takes; the message says where."""


class BodyTooLarge(ServiceError):
    """A body is larger than the endpoint takes."""


class RevisionRequired(ServiceError):
    """A change of the edits does not say which revision it is based on."""


class WrongMediaType(ServiceError):
    """The service does not read bodies of this type or encoding."""


class SiteTooLarge(ServiceError):
    """A static site would take more than it may."""
