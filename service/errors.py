"""The errors of the service; `problems` turns them into HTTP."""

from service.absence import Absence


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


class UnknownVersion(ServiceError):
    """The store has no such version."""


class UnknownJob(ServiceError):
    """No such job, or one that ended long ago."""


class DocumentsUnavailable(ServiceError):
    """This service cannot hold the documents of a version at the moment; it answers everything else."""


class Busy(ServiceError):
    """So many requests of this kind are under way that another would take too much memory; soon it will not."""


class OutOfRange(ServiceError):
    """A parameter is valid, but not for this corpus."""


class NotPossible(ServiceError):
    """The state of the corpus or job does not allow this."""


class KeyRequired(ServiceError):
    """An API key is missing or unknown."""


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


class WrongMediaType(ServiceError):
    """The service does not read bodies of this type or encoding."""
