"""What operators do from the command line: look at corpora and jobs, ask for runs, cancel them."""

import sys
import time
from dataclasses import asdict
from typing import Any, Final, cast

import click
import orjson
from redis import Redis
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from cotag.errors import StartError
from snapshot import ENDED, CorpusRegister, RunStatus, SnapshotStore, StatusBoard, keys
from snapshot.durations import duration

POLL_SECONDS: Final = 0.2
UNATTENDED_SECONDS: Final = 20.0
"""After this long in the queue without a scheduler taking notice, somebody should look."""


def print_json(value: Any) -> None:
    """For scripts."""
    click.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2))


def print_table(headings: list[str], rows: list[list[str]], empty: str) -> None:
    """For people; one line instead of a table without rows."""
    if not rows:
        click.echo(empty)
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else 200).print(table)


def list_corpora(redis: Redis, *, as_json: bool) -> None:
    """Declared and served corpora, with age, last run and next run."""
    store, board, declared = SnapshotStore(redis), StatusBoard(redis), CorpusRegister(redis).read()
    now = time.time()
    found: list[dict[str, Any]] = []
    for name in sorted({*declared, *store.corpora()}):
        version = store.current(name)
        status = board.read(name)
        found.append(
            {
                "name": name,
                "version": version,
                "age_seconds": None if version is None else now - _created(store, name, version),
                "schedule": declared[name].schedule if name in declared else None,
                "next_run": declared[name].next_run if name in declared else None,
                "run": None if status is None else asdict(status),
            }
        )
    if as_json:
        print_json(found)
        return
    rows = [
        [
            each["name"],
            each["version"] or "none yet",
            "" if each["age_seconds"] is None else duration(each["age_seconds"]),
            each["schedule"] or "not declared",
            "" if each["next_run"] is None else _until(each["next_run"] - now),
            _described(each["run"]),
        ]
        for each in found
    ]
    print_table(["corpus", "version", "age", "schedule", "next run", "last run"], rows, "no corpora")


def ask_for_run(redis: Redis, name: str, *, wait: bool, fresh: bool, as_json: bool) -> int:
    """Ask for a run and perhaps follow it; the exit code is 0 unless it failed."""
    if name not in CorpusRegister(redis).read():
        raise StartError(f"no corpus {name} is declared, or no scheduler has run yet (see `cotag corpora`)")
    status = StatusBoard(redis).request(name, time.time(), fresh=fresh)
    if wait:
        status = _follow(redis, status.job, quiet=as_json)
    if as_json:
        print_json(asdict(status))
    else:
        click.echo(f"{name}: {_described(asdict(status))} (job {status.job})")
    return 1 if status.state in {"failed", "cancelled"} else 0


def list_jobs(redis: Redis, *, as_json: bool) -> None:
    """Jobs that are still remembered, newest first."""
    board = StatusBoard(redis)
    names = [key.decode().removeprefix(keys.job("")) for key in redis.scan_iter(keys.job("*"))]
    found = [board.job(name) for name in names if ":" not in name]
    statuses = sorted((each for each in found if each is not None), key=lambda each: -each.started)
    if as_json:
        print_json([asdict(each) for each in statuses])
        return
    now = time.time()
    rows = [
        [each.job, each.corpus, _described(asdict(each)), f"{duration(now - each.started)} ago", each.version]
        for each in statuses
    ]
    print_table(["job", "corpus", "state", "started", "version"], rows, "no jobs in the last week")


def cancel_job(redis: Redis, job: str) -> None:
    """Ask a job to stop."""
    status = StatusBoard(redis).job(job)
    if status is None:
        raise StartError(f"there is no job {job}")
    if status.state in ENDED:
        raise StartError(f"job {job} has ended: {status.state}")
    StatusBoard(redis).cancel(job)
    click.echo(f"job {job} was asked to stop")


def _follow(redis: Redis, job: str, *, quiet: bool) -> RunStatus:
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
            status = cast("RunStatus", board.job(job))
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


def _described(run: dict[str, Any] | None) -> str:
    if run is None:
        return "never"
    if run["state"] == "running":
        return f"running: {run['stage']} {100 * run['done'] // max(run['total'], 1)} %"
    return f"{run['state']}: {run['error']}" if run["error"] else str(run["state"])


def _until(seconds: float) -> str:
    return f"in {duration(seconds)}" if seconds > 0 else "due"


def _created(store: SnapshotStore, name: str, version: str) -> float:
    return store.meta(name, version).created.timestamp()
