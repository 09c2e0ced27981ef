class CorpusError(Exception):
    """A corpus is declared wrongly or its documents cannot be used. Trying again will not help."""


class AlreadyRunning(Exception):
    """Another run of the same corpus is under way."""
