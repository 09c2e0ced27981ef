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
