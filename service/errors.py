"""What cannot be answered, and why. `problems` turns these into HTTP."""


class ServiceError(Exception):
    """A question that cannot be answered, and why."""


class UnknownCorpus(ServiceError):
    """No corpus of this name has ever been published."""


class NothingServed(ServiceError):
    """The corpus has no snapshot in memory yet."""


class UnknownTags(ServiceError):
    """None of the words, or one of the exact tags, is a tag of the corpus."""

    def __init__(self, message: str, suggestions: list[str]) -> None:
        super().__init__(message)
        self.suggestions = suggestions


class UnknownCluster(ServiceError):
    """The snapshot has no cluster of this id."""


class UnknownVersion(ServiceError):
    """The store keeps no such version."""


class UnknownJob(ServiceError):
    """No such job, or one that ended long ago."""


class OutOfRange(ServiceError):
    """A parameter is possible, but not for this corpus."""


class NotPossible(ServiceError):
    """The corpus or job is not in a state in which this makes sense."""


class KeyRequired(ServiceError):
    """An API key is missing or unknown."""


class WritingDisabled(ServiceError):
    """No API keys are configured, so nobody may write."""


class TooManyRequests(ServiceError):
    """This client asked more than its share."""

    def __init__(self, seconds: float) -> None:
        super().__init__("too many requests; come back a little later")
        self.seconds = seconds


class WrongLines(ServiceError):
    """Some lines of a body are no documents; nothing of it was kept."""

    def __init__(self, message: str, lines: list[tuple[int, str]]) -> None:
        super().__init__(message)
        self.lines = lines


class WrongMediaType(ServiceError):
    """The body is of a type, or compressed in a way, that is not read here."""
