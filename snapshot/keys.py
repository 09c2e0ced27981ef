"""Every Redis key of Cotag. docs/reference/redis.md describes their values; a test compares the two."""

CORPORA = "cotag:corpora"
"""Set of the names of all corpora that have ever been published."""

ANNOUNCEMENTS = "cotag:announcements"
"""Channel on which every change of a current version is published, as JSON."""

REQUESTS = "cotag:requests"
"""List of runs asked for, as JSON, until the scheduler puts them on the queue."""

DECLARED = "cotag:declared"
"""Hash of the declared corpora, name to JSON, kept by the scheduler."""

METRICS = "cotag:metrics"
"""Hash of counters over all runs, see worker/metrics.py."""


def current(corpus: str) -> str:
    """The version that is served: a string."""
    return f"cotag:{corpus}:current"


def versions(corpus: str) -> str:
    """All stored versions: a sorted set, oldest first."""
    return f"cotag:{corpus}:versions"


def run(corpus: str) -> str:
    """How the latest run is getting on: JSON, see RunStatus."""
    return f"cotag:{corpus}:run"


def lock(corpus: str) -> str:
    """Held by the run under way, so that there is one at a time."""
    return f"cotag:{corpus}:lock"


def schedule(corpus: str) -> str:
    """The last turn of the corpus: JSON, see worker.schedule.Turn."""
    return f"cotag:{corpus}:schedule"


def waiting(corpus: str) -> str:
    """When a job of the corpus was last seen on the queue, in seconds since the epoch."""
    return f"cotag:{corpus}:waiting"


def part(corpus: str, version: str, name: str) -> str:
    """One part of one version; the names are in store.PARTS."""
    return f"cotag:{corpus}:v:{version}:{name}"


def job(job_id: str) -> str:
    """How one job is getting on: JSON, see RunStatus."""
    return f"cotag:job:{job_id}"


def cancel(job_id: str) -> str:
    """Exists when a job was asked to stop."""
    return f"cotag:job:{job_id}:cancel"


def pushed(corpus: str) -> str:
    """Documents pushed over HTTP: a hash, document id to JSON."""
    return f"cotag:{corpus}:pushed"
