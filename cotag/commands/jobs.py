"""Commands for corpora and jobs: list them, request runs, cancel jobs."""

import time
from dataclasses import asdict
from typing import Any, Final

import click
from redis import Redis
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from cotag.commands.tables import print_json, print_table
from cotag.errors import StartError
from runtime.durations import duration
from runtime.schedule_words import MANUAL, schedule_words
from snapshot import ENDED, CorpusRegister, RunStatus, SnapshotError, SnapshotStore, StatusBoard, StoreUnavailable

POLL_SECONDS: Final = 0.2
UNATTENDED_SECONDS: Final = 20.0
"""After this long in the queue the command warns that perhaps no scheduler or worker runs."""


def list_corpora(redis: Redis, *, as_json: bool) -> None:
    """Print declared and served corpora, with age, last run and next run."""
    store, board, declared = SnapshotStore(redis), StatusBoard(redis), CorpusRegister(redis).read()
    now = time.time()
    corpora: list[dict[str, Any]] = []
    names = sorted({*declared, *store.corpora()})
    operating = board.operating(names)
    for name in names:
        by_itself = name in declared and name not in operating.paused and declared[name].schedule != MANUAL
        version = store.current(name)
        status = board.read(name)
        corpora.append(
            {
                "name": name,
                "version": version,
                "age_seconds": None if version is None else _age(store, name, version, now),
                "schedule": declared[name].schedule if name in declared else None,
                "next_run": declared[name].next_run if by_itself else None,
                "paused": name in operating.paused,
                "pinned": operating.pinned.get(name),
                "run": None if status is None else asdict(status),
            }
        )
    if as_json:
        print_json(corpora)
        return
    rows = [
        [
            corpus["name"],
            (corpus["version"] or "none yet") + (", pinned" if corpus["pinned"] else ""),
            "" if corpus["age_seconds"] is None else duration(corpus["age_seconds"]),
            schedule_words(corpus["schedule"]) if corpus["schedule"] else "not declared",
            _next_run(corpus, now),
            _describe_run(corpus["run"]),
        ]
        for corpus in corpora
    ]
    print_table(["corpus", "version", "age", "schedule", "next run", "last run"], rows, "no corpora")


def request_run(redis: Redis, name: str, *, wait: bool, fresh: bool, as_json: bool) -> int:
    """Request a run and, with `wait`, follow it; the exit code is 0 unless it failed or was cancelled."""
    if name not in CorpusRegister(redis).read():
        raise StartError(f"no corpus {name} is declared, or no scheduler has run yet (see `cotag corpora`)")
    status = StatusBoard(redis).request(name, time.time(), fresh=fresh)
    if wait:
        status = follow_job(redis, status.job, quiet=as_json)
    if as_json:
        print_json(asdict(status))
    else:
        click.echo(f"{name}: {_describe_run(asdict(status))} (job {status.job})")
        if status.state == "unchanged":
            _say_what_is_served(redis, name, status.version)
    return 1 if status.state in {"failed", "cancelled"} else 0


def _say_what_is_served(redis: Redis, name: str, newest: str) -> None:
    """After a roll-back, the version with the documents of the source is stored but not served: say so."""
    served = SnapshotStore(redis).current(name)
    if served in {None, newest}:
        return
    pinned = StatusBoard(redis).operating([name]).pinned.get(name)
    why = "it is pinned" if pinned else "somebody activated it"
    first = f"cotag snapshots {name} unpin, then " if pinned else ""
    click.echo(
        f"{name} serves version {served}, because {why}. Version {newest} has the documents that the source has now; "
        f"to serve it: {first}cotag snapshots {name} activate {newest}"
    )


def list_jobs(redis: Redis, *, as_json: bool) -> None:
    """Print the jobs that have not expired, newest first."""
    board = StatusBoard(redis)
    jobs = [board.job(name) for name in board.job_ids()]
    statuses = sorted((status for status in jobs if status is not None), key=lambda status: -status.started)
    if as_json:
        print_json([asdict(status) for status in statuses])
        return
    now = time.time()
    rows = [
        [
            status.job,
            status.corpus,
            _describe_run(asdict(status)),
            f"{duration(now - status.started)} ago",
            status.version,
        ]
        for status in statuses
    ]
    print_table(["job", "corpus", "state", "started", "version"], rows, "no jobs in the last week")


def cancel_job(redis: Redis, job: str, *, as_json: bool) -> None:
    """Ask a job to stop."""
    status = StatusBoard(redis).job(job)
    if status is None:
        raise StartError(f"there is no job {job}")
    if status.state in ENDED:
        raise StartError(f"job {job} has ended: {status.state}")
    StatusBoard(redis).cancel(job)
    if as_json:
        print_json({"job": job, "state": "cancelled"})
    else:
        click.echo(f"job {job} was asked to stop")


def follow_job(redis: Redis, job: str, *, quiet: bool) -> RunStatus:
    """Show the progress of a job until it ends."""
    board = StatusBoard(redis)
    began = time.monotonic()
    warned = False
    columns = (
        TextColumn("{task.description:<12}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), disable=quiet) as bars:
        stages: dict[str, Any] = {}
        while True:
            status = board.job(job)
            if status is None:
                raise StartError(f"the status of job {job} cannot be read")
            if status.stage and status.stage not in stages:
                for task in stages.values():
                    bars.update(task, completed=1, total=1)
                stages[status.stage] = bars.add_task(status.stage, total=None)
            if status.stage:
                bars.update(stages[status.stage], completed=status.done, total=max(status.total, 1))
            if status.state in ENDED:
                if status.state in {"done", "held", "unchanged"}:
                    for task in stages.values():
                        bars.update(task, completed=1, total=1)
                return status
            if status.state == "queued" and not warned and time.monotonic() - began > UNATTENDED_SECONDS:
                click.echo("still queued: is a scheduler running, and a worker that is free?", err=True)
                warned = True
            time.sleep(POLL_SECONDS)


def _describe_run(run: dict[str, Any] | None) -> str:
    if run is None:
        return "never"
    if run["state"] == "running":
        return f"running: {run['stage']} {100 * run['done'] // max(run['total'], 1)} %"
    return f"{run['state']}: {run['error']}" if run["error"] else str(run["state"])


def _next_run(corpus: dict[str, Any], now: float) -> str:
    if corpus["paused"]:
        return "paused"
    if corpus["next_run"] is None:
        return ""
    seconds = corpus["next_run"] - now
    return f"in {duration(seconds)}" if seconds > 0 else "due"


def _age(store: SnapshotStore, name: str, version: str, now: float) -> float | None:
    """Seconds since a version was made; None if it cannot be read."""
    try:
        return now - store.meta(name, version).created.timestamp()
    except StoreUnavailable:
        raise
    except SnapshotError:
        return None
