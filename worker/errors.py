"""Errors of reading and clustering a corpus."""


class CorpusError(Exception):
    """A corpus is declared wrongly or its documents cannot be used. Trying again will not help."""


class SourceUnavailable(Exception):
    """The database that holds the documents does not answer. Transient: trying again later may work."""


class TookTooLong(Exception):
    """A run did not end within the time limit of its corpus. Trying again at once will not help."""


class AlreadyRunning(Exception):
    """Another run of the same corpus is under way."""


class ClusterUnavailable(Exception):
    """The Dask cluster does not answer, or lost too much; it may later."""
