"""Every Redis key of Cotag. docs/redis.md describes their values; a test compares the two."""

CORPORA = "cotag:corpora"
"""Set of the names of all corpora that have ever been published."""

ANNOUNCEMENTS = "cotag:announcements"
"""Channel on which every change of a current version is published, as JSON."""


def current(corpus: str) -> str:
    """The version that is served: a string."""
    return f"cotag:{corpus}:current"


def versions(corpus: str) -> str:
    """All kept versions: a sorted set, oldest first."""
    return f"cotag:{corpus}:versions"


def run(corpus: str) -> str:
    """How the latest run is getting on: JSON, see RunStatus."""
    return f"cotag:{corpus}:run"


def lock(corpus: str) -> str:
    """Held by the run under way, so that there is one at a time."""
    return f"cotag:{corpus}:lock"


def schedule(corpus: str) -> str:
    """When the corpus was last due, in seconds since the epoch."""
    return f"cotag:{corpus}:schedule"


def part(corpus: str, version: str, name: str) -> str:
    """One part of one version; the names are in store.PARTS."""
    return f"cotag:{corpus}:v:{version}:{name}"
