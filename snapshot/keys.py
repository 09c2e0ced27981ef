"""Names every Redis key of Cotag. docs/reference/redis.md describes their values; a test compares the two."""

CORPORA = "cotag:corpora"
"""Set of the names of all corpora that have ever been published."""

ANNOUNCEMENTS = "cotag:announcements"
"""Channel on which every change of a current version is published, as JSON."""

REQUESTS = "cotag:requests"
"""List of requested runs, as JSON, until the scheduler puts them on the queue."""

DECLARED = "cotag:declared"
"""Hash of the declared corpora, name to JSON, written by the scheduler."""

HEARTBEATS = "cotag:heartbeats"
"""Set of the names of the processes that write a heartbeat; expires with the last of them."""

METRICS = "cotag:metrics"
"""Hash of counters over all runs, see worker/metrics.py."""


def current(corpus: str) -> str:
    """The version that is served: a string."""
    return f"cotag:{corpus}:current"


def versions(corpus: str) -> str:
    """All stored versions: a sorted set, oldest first."""
    return f"cotag:{corpus}:versions"


def run(corpus: str) -> str:
    """Status of the latest run: JSON, see RunStatus."""
    return f"cotag:{corpus}:run"


def lock(corpus: str) -> str:
    """Lock of the current run, so that there is one at a time."""
    return f"cotag:{corpus}:lock"


def schedule(corpus: str) -> str:
    """The last turn of the corpus: JSON, see Turn."""
    return f"cotag:{corpus}:schedule"


def waiting(corpus: str) -> str:
    """When a job of the corpus was last seen on the queue, in seconds since the epoch."""
    return f"cotag:{corpus}:waiting"


def part(corpus: str, version: str, name: str) -> str:
    """One part of one version; the names are in store.PARTS."""
    return f"cotag:{corpus}:v:{version}:{name}"


def job(job_id: str) -> str:
    """Status of one job: JSON, see RunStatus."""
    return f"cotag:job:{job_id}"


def cancel(job_id: str) -> str:
    """Exists when somebody cancelled the job."""
    return f"cotag:job:{job_id}:cancel"


def heartbeat(process: str) -> str:
    """Sign of life of one process, which expires: JSON, see Heartbeat."""
    return f"cotag:heartbeat:{process}"


def pushed(corpus: str) -> str:
    """Documents pushed over HTTP: a hash, document id to JSON."""
    return f"cotag:{corpus}:pushed"
