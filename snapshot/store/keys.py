"""Names every Redis key of Cotag. docs/reference/redis.md describes their values; a test compares the two."""

CORPORA = "cotag:corpora"
"""Set of the names of all corpora that have ever been published."""

ANNOUNCEMENTS = "cotag:announcements"
"""Channel on which every change of a current version is published, as JSON."""

REQUESTS = "cotag:requests"
"""List of requested runs, as JSON, until the scheduler puts them on the queue."""

QUEUE = "cotag:queue"
"""List of the runs that wait for a worker, as JSON."""

DECLARED = "cotag:declared"
"""Hash of the declared corpora, name to JSON, written by the scheduler."""

HEARTBEATS = "cotag:heartbeats"
"""Set of the names of the processes that write a heartbeat; expires with the last of them."""

METRICS = "cotag:metrics"
"""Hash of counters over all runs, see worker/runs/metrics.py."""

SUCCESSES = "cotag:successes"
"""Hash of the times at which a run of each corpus last ended well, in seconds since the epoch."""

OUTBOX = "cotag:outbox"
"""Sorted set of the notices that wait to be sent, by when they are due."""

NOTICES = "cotag:notices"
"""Hash of these notices, id to JSON, see snapshot/store/operation/outbox.py."""

RESTORING = "cotag:restoring"
"""The token of the restore that is at work; expires."""


def staged(name: str) -> str:
    """A value that an unfinished restore has written, whatever its type; expires."""
    return f"cotag:restore:{name}"


def current(corpus: str) -> str:
    """The version that is served: a string."""
    return f"cotag:{corpus}:current"


def versions(corpus: str) -> str:
    """All stored versions: a sorted set, oldest first."""
    return f"cotag:{corpus}:versions"


def run(corpus: str) -> str:
    """Status of the latest run: JSON, see RunStatus."""
    return f"cotag:{corpus}:run"


def runs(corpus: str) -> str:
    """The runs of the last year, newest first: a list of JSON, see PastRun."""
    return f"cotag:{corpus}:runs"


def changes(corpus: str) -> str:
    """How each version of the last year differs from the one before: a hash, see snapshot/version/changes.py."""
    return f"cotag:{corpus}:changes"


def paused(corpus: str) -> str:
    """Since when the schedule of the corpus is paused, in seconds since the epoch; missing if it is not."""
    return f"cotag:{corpus}:paused"


def pinned(corpus: str) -> str:
    """The version that is served until it is unpinned; missing if none is."""
    return f"cotag:{corpus}:pinned"


def lock(corpus: str) -> str:
    """Lock of the current run, so that there is one at a time."""
    return f"cotag:{corpus}:lock"


def schedule(corpus: str) -> str:
    """The last turn of the corpus: JSON, see Turn."""
    return f"cotag:{corpus}:schedule"


def part(corpus: str, version: str, name: str) -> str:
    """One part of one version; the names are in store.PARTS."""
    return f"cotag:{corpus}:v:{version}:{name}"


def job(job_id: str) -> str:
    """Status of one job: JSON, see RunStatus."""
    return f"cotag:job:{job_id}"


def cancel(job_id: str) -> str:
    """Exists when somebody cancelled the job."""
    return f"cotag:job:{job_id}:cancel"


def trial(job_id: str) -> str:
    """The edits that a job tries: JSON, expires."""
    return f"cotag:job:{job_id}:trial"


def heartbeat(process: str) -> str:
    """Sign of life of one process, which expires: JSON, see Heartbeat."""
    return f"cotag:heartbeat:{process}"


def pushed(corpus: str) -> str:
    """Documents pushed over HTTP: a hash, document id to JSON."""
    return f"cotag:{corpus}:pushed"


def pushed_changes(corpus: str) -> str:
    """Ids of pushed documents, also of deleted ones, by the revision of their last change: a sorted set."""
    return f"cotag:{corpus}:pushed_changes"


def pushed_state(corpus: str) -> str:
    """The revision of the pushed documents, and what happened to all of them: a hash, see PushedChanges."""
    return f"cotag:{corpus}:pushed_state"


def edits(corpus: str) -> str:
    """Decisions of editors: a hash, id to JSON, see Edit."""
    return f"cotag:{corpus}:edits"


def declared_edits(corpus: str) -> str:
    """Decisions of editors in the corpora file: JSON, written by the scheduler."""
    return f"cotag:{corpus}:declared_edits"


def revision(corpus: str) -> str:
    """The revision of both: a number that grows with every change."""
    return f"cotag:{corpus}:revision"
