"""Commands of operators: versions, proposals, back up and restore, pause and resume, past runs, health checks.

Their packages are imported when they run, so that help comes at once.
"""

import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import click

from cotag.errors import StartError
from runtime.alive import is_alive
from runtime.durations import duration

if TYPE_CHECKING:
    from snapshot import ProposalKind
    from snapshot.store.operation.control import Control
    from snapshot.store.operation.run_history import PastRun

MOST_RUNS: Final = 1000
SNAPSHOT_ACTIONS: Final = ("list", "show", "diff", "export", "activate", "delete", "pin", "unpin")
PROPOSAL_KINDS: Final = (
    "variant",
    "nested",
    "co-occurring",
    "substitute",
    "rare",
    "head-word",
    "implied",
    "broad",
    "staged",
)
"""Those of `cotag.commands.snapshots` and `snapshot`; a test compares them."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")


@click.command()
@click.argument("name")
@click.argument("action", type=click.Choice(SNAPSHOT_ACTIONS), default="list")
@click.argument("arguments", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def snapshots(name: str, action: str, arguments: tuple[str, ...], as_json: bool) -> None:
    """List the stored versions of the corpus NAME, or do something with one of them.

    \b
    cotag snapshots NAME                        the stored versions, newest first
    cotag snapshots NAME show [VERSION]         parameters, quality, lineage and clusters (default: the one served)
    cotag snapshots NAME diff OLD NEW           tags that came, went or changed cluster
    cotag snapshots NAME export FILE [VERSION]  clusters, tag map and tree as JSON
    cotag snapshots NAME activate VERSION       serve it from now on: roll back or forward, or release a held one
    cotag snapshots NAME delete VERSION         delete it, unless it is served
    cotag snapshots NAME pin VERSION            serve it until it is unpinned; runs are held meanwhile
    cotag snapshots NAME unpin                  let runs publish again
    """
    from cotag.commands.snapshots import run_snapshots_action
    from cotag.commands.store_address import store_client

    run_snapshots_action(store_client(), name, action, arguments, as_json=as_json)


@click.command("proposals")
@click.argument("name")
@click.option("--kind", type=click.Choice(PROPOSAL_KINDS), help="Only this kind.")
@click.option("--toml", "as_toml", is_flag=True, help="Print lines for the corpora file.")
@json_option
def proposals_command(name: str, kind: "ProposalKind | None", as_toml: bool, as_json: bool) -> None:
    """List what editors may decide about the corpus NAME: tags that may be one or related, tags that say nothing.

    Nothing is applied by itself: keep the lines of --toml that are right, or decide in the page /curate.
    """
    from cotag.commands.curation.proposals import list_proposals
    from cotag.commands.store_address import store_client

    list_proposals(store_client(), name, kind, as_toml=as_toml, as_json=as_json)


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--verify", "only_verify", is_flag=True, help="Write nothing: check FILE, to its last byte.")
@json_option
def backup(file: Path, only_verify: bool, as_json: bool) -> None:
    """Write everything that Cotag has in the store to FILE, while all parts run.

    FILE is complete, or it is not written. An existing file is replaced.
    """
    from cotag.commands.store_address import store_client
    from snapshot.store.backup import back_up, verify

    if only_verify:
        contents = verify(file)
        made = f", made {contents.made}" if contents.made else ""
        sentence = f"{file} is complete: {contents.records:,} records of Cotag {contents.release}{made}"
        _print({"file": str(file), **asdict(contents)}, sentence, as_json=as_json)
        return
    records = back_up(store_client(), file)
    _print({"file": str(file), "records": records}, f"{file}: {records:,} records", as_json=as_json)


@click.command("restore")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@json_option
def restore_command(file: Path, as_json: bool) -> None:
    """Write a backup into a store that has nothing of Cotag yet. Services then serve what was backed up.

    All of FILE is checked first. It becomes visible in one step; a restore that was ended half-way can be repeated.
    """
    from cotag.commands.store_address import store_client
    from snapshot.store.backup import restore

    records = restore(store_client(), file)
    _print({"file": str(file), "records": records}, f"{file}: {records:,} records restored", as_json=as_json)


@click.command()
@click.argument("name")
@json_option
def pause(name: str, as_json: bool) -> None:
    """Stop running the corpus NAME by its schedule. What is served stays; `cotag recluster` goes on working."""
    control = _control_of(name)
    control.pause(name, time.time())
    _print({"corpus": name, "paused": True}, f"the schedule of {name} is paused", as_json=as_json)


@click.command()
@click.argument("name")
@json_option
def resume(name: str, as_json: bool) -> None:
    """Run the corpus NAME by its schedule again. If it missed a turn, it is due at once."""
    control = _control_of(name)
    control.resume(name)
    _print({"corpus": name, "paused": False}, f"{name} runs by its schedule", as_json=as_json)


@click.command("runs")
@click.argument("name")
@json_option
def runs_command(name: str, as_json: bool) -> None:
    """List the runs of the corpus NAME in the last year, newest first, at most a thousand lines.

    Runs that found nothing to do, one after the other on one day, share a line.
    """
    from cotag.commands.store_address import store_client
    from cotag.commands.tables import print_json, print_table
    from snapshot.store.operation.run_history import RunHistory

    past = RunHistory(store_client()).read(name, MOST_RUNS)
    if as_json:
        print_json(past)
        return
    rows = [_row(run, time.time()) for run in past]
    print_table(["ended", "state", "runs", "took", "version", "job", "error"], rows, f"{name} has no runs yet")


@click.command()
@click.argument("part", type=click.Choice(["store", "worker", "scheduler"]), default="store")
@json_option
def ping(part: Literal["store", "worker", "scheduler"], as_json: bool) -> None:
    """Check that a part lives, for health checks: the store, or a worker or scheduler on this machine.

    A worker that waits for a store which is away lives; so does one that computes.
    """
    from cotag.commands.tables import print_json
    from snapshot import StoreSettings, connect, read_settings
    from snapshot.store.health.reconnection import wait_for_answer

    if part == "store":
        wait_for_answer(connect(read_settings(StoreSettings).redis_url, timeout=2.0), pause=0.05, seconds=2.0)
    elif not is_alive(part):
        raise StartError(f"no {part} of this user lives on this machine")
    if as_json:
        print_json({part: True})


def _control_of(name: str) -> "Control":
    from cotag.commands.store_address import store_client
    from snapshot import CorpusRegister
    from snapshot.store.operation.control import Control

    redis = store_client()
    if name not in CorpusRegister(redis).read():
        raise StartError(f"no corpus {name} is declared, or no scheduler has run yet (see `cotag corpora`)")
    return Control(redis)


def _row(run: "PastRun", now: float) -> list[str]:
    took = duration(run.seconds / run.times)
    return [f"{duration(now - run.ended)} ago", run.state, str(run.times), took, run.version, run.job, run.error]


def _print(record: dict[str, Any], sentence: str, *, as_json: bool) -> None:
    if as_json:
        from cotag.commands.tables import print_json

        print_json(record)
    else:
        click.echo(sentence)
