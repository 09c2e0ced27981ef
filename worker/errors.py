"""Errors of reading and clustering a corpus."""


class CorpusError(Exception):
    """A corpus is declared wrongly or its documents cannot be used. Trying again will not help."""


class SourceUnavailable(Exception):
    """The documents cannot be read now, for example because a database does not answer; they may be later."""


class ClusterUnavailable(Exception):
    """The Dask cluster does not answer, or lost too much; it may later."""
