"""`cotag edits`: list, export and import the decisions of editors, or try an import."""

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import click
import orjson
from redis import Redis

from cotag.commands.curation.thesaurus import is_thesaurus, read_thesaurus
from cotag.commands.jobs import follow_job
from cotag.commands.tables import print_json, print_table
from cotag.errors import StartError
from cotag.packages import require
from service.live.document_files import DocumentFiles
from service.live.document_keeper import DocumentKeeper
from service.questions.edits.report import edit_report
from service.view.document_store import DocumentStore, MissingDocuments
from service.view.edit_states import Force
from service.view.view import View
from snapshot import Snapshot, SnapshotStore, StatusBoard, new_job_id
from snapshot.edits import (
    Contradiction,
    Edit,
    EditChange,
    EditState,
    check_change,
    edit_json,
    key_finder,
    parse_edit,
)
from snapshot.store.edits import EditStore, StaleRevision

EXPECTED: Final = {"list": (0, 0, ""), "export": (0, 1, "[FILE]"), "import": (1, 1, "FILE [--dry-run]")}
"""Minimum and maximum number of arguments of each action, and their names."""

ATTEMPTS: Final = 5
"""How often an import tries again if editors change something meanwhile."""

SHOWN_FAULTS: Final = 20
BY: Final = "cotag edits import"


def run_edits_action(
    redis: Redis, name: str, action: str, arguments: tuple[str, ...], *, dry_run: bool, as_json: bool
) -> None:
    """Run one action of `cotag edits`."""
    least, most, form = EXPECTED[action]
    if not least <= len(arguments) <= most or (dry_run and action != "import"):
        raise StartError(f"usage: cotag edits NAME {action} {form}".rstrip())
    match action:
        case "export":
            export_edits(redis, name, Path(arguments[0]) if arguments else None)
        case "import":
            path = Path(arguments[0])
            add = read_terms(redis, name, path, quiet=as_json) if is_thesaurus(path) else read_edits(path)
            (try_edits if dry_run else import_edits)(redis, name, add, as_json=as_json)
        case _:
            list_edits(redis, name, as_json=as_json)


def list_edits(redis: Redis, name: str, *, as_json: bool) -> None:
    """Print all edits, newest first, and whether the served version obeys them."""
    state = EditStore(redis).read(name)
    forces = _forces(redis, name, state)
    listed = [(edit, forces.get(edit.id, ("inactive", "no version is served yet"))) for edit in reversed(state.edits)]
    if as_json:
        edits = [{**asdict(edit), "id": edit.id, "state": force, "why": why} for edit, (force, why) in listed]
        print_json({"revision": state.revision, "edits": edits})
        return
    rows = [
        [edit.id, str(edit), edit.by or "corpora file", edit.at, force if why is None else f"{force}: {why}"]
        for edit, (force, why) in listed
    ]
    print_table(["id", "decision", "by", "at", "state"], rows, f"{name} has no edits")


def export_edits(redis: Redis, name: str, path: Path | None) -> None:
    """Write the stored edits as JSON lines, oldest first, to a file or to standard output."""
    lines = b"".join(orjson.dumps(edit_json(edit)) + b"\n" for edit in EditStore(redis).read(name).stored)
    if path is None:
        sys.stdout.write(lines.decode())
        return
    try:
        path.write_bytes(lines)
    except OSError as error:
        raise StartError(f"{path}: {error.strerror}") from error


def read_edits(path: Path) -> list[Edit]:
    """The edits of a file of JSON lines; StartError with every wrong line."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise StartError(f"{path}: {error.strerror}") from error
    edits: list[Edit] = []
    wrong: list[str] = []
    for number, line in enumerate(lines, start=1):
        try:
            if line.strip():
                edits.append(parse_edit(orjson.loads(line)))
        except ValueError as error:
            wrong.append(f"line {number}: {error}")
    if wrong:
        raise StartError("\n  ".join([f"{path}: {len(wrong)} wrong lines; nothing was changed", *wrong[:SHOWN_FAULTS]]))
    return edits


def read_terms(redis: Redis, name: str, path: Path, *, quiet: bool) -> list[Edit]:
    """The edits of a thesaurus; says on standard error which of its terms are no tags of the served version."""
    require("skos")
    store = SnapshotStore(redis)
    version = store.current(name)
    served = None if version is None else store.load(name, version)
    thesaurus = read_thesaurus(path, None if served is None else served.parameters.get("language"))
    find = (lambda _: None) if served is None else key_finder(served)
    unmatched = thesaurus.unmatched(lambda term: find(term) is not None)
    if not quiet:
        matched = len(thesaurus.terms) - len(unmatched)
        click.echo(f"{path}: {len(thesaurus.terms)} terms, {matched} of them tags of {name}", err=True)
        for title, lines in (("no tags of the served version", unmatched), ("left out", thesaurus.remarks)):
            if lines:
                more = f" and {len(lines) - SHOWN_FAULTS:,} more" if len(lines) > SHOWN_FAULTS else ""
                click.echo(f"  {title}: {', '.join(lines[:SHOWN_FAULTS])}{more}", err=True)
    return thesaurus.edits


def import_edits(redis: Redis, name: str, add: list[Edit], *, as_json: bool) -> None:
    """Add edits to those that are there, all or none."""
    store = EditStore(redis)
    at = datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    dated = [replace(edit, by=BY, at=at) for edit in add]
    for attempt in range(ATTEMPTS):
        change = _checked(store.read(name), dated)
        try:
            unchanged = not change.added
            revision = (
                change.state.revision if unchanged else store.change(name, change.state.revision, add=change.added)
            )
        except StaleRevision as error:
            if attempt == ATTEMPTS - 1:
                raise StartError(str(error)) from error
        else:
            break
    needs_run = change.needs_run
    if as_json:
        print_json({"revision": revision, "added": len(change.added), "needs_run": needs_run})
        return
    click.echo(f"{name}: {len(change.added)} of {len(add)} edits are new; revision {revision}")
    if needs_run:
        click.echo(f"{needs_run} take effect with the next run: cotag recluster {name}")


def try_edits(redis: Redis, name: str, add: list[Edit], *, as_json: bool) -> None:
    """Report what an import would change, without a change: at once, or by a run that publishes nothing."""
    store = EditStore(redis)
    change = _checked(store.read(name), add)
    if change.needs_run:
        job = new_job_id(name, trial=True)
        store.store_trial(job, change)
        StatusBoard(redis).request_trial(name, job, time.time())
        status = follow_job(redis, job, quiet=as_json)
        if status.report is None:
            raise StartError(f"the trial {job} {status.state}: {status.error or 'it has no report'}")
        report = status.report
    else:
        with _served(redis, name) as (snapshot, documents):
            view = View(snapshot, 0, documents).with_edits(replace(change.state, stored=store.read(name).stored))
            report = asdict(edit_report(view, change))
    print_json(report) if as_json else _print_report(name, report)


def _checked(state: EditState, add: list[Edit]) -> EditChange:
    try:
        return check_change(state, add)
    except Contradiction as error:
        details = [conflict.detail for conflict in error.conflicts[:SHOWN_FAULTS]]
        count = len(error.conflicts)
        raise StartError("\n  ".join([f"{count} contradictions; nothing was changed", *details])) from error


def _forces(redis: Redis, name: str, state: EditState) -> dict[str, Force]:
    store = SnapshotStore(redis)
    version = store.current(name)
    if version is None:
        return {}
    return View(store.load(name, version)).with_edits(state).edit_forces


@contextmanager
def _served(redis: Redis, name: str) -> Iterator[tuple[Snapshot, DocumentStore | MissingDocuments]]:
    """The served version and its documents, mapped from a temporary file."""
    store = SnapshotStore(redis)
    version = store.current(name)
    if version is None:
        raise StartError(f"{name} has no version yet")
    snapshot = store.load(name, version)
    with tempfile.TemporaryDirectory(prefix="cotag-") as folder:
        keeper = DocumentKeeper(DocumentFiles(Path(folder)), store, time.time)
        yield snapshot, keeper.open(snapshot, store.raw_meta(name, version))


def _print_report(name: str, report: dict[str, Any]) -> None:
    click.echo(f"{name}: {report['tags_moved']} tags would move, {report['concepts_changed']} concepts would change")
    for figure, unit in (("recall", "recall of suggestions"), ("bits", "bits")):
        before, after = (report[figure][when] for when in ("before", "after"))
        if before is not None and after is not None:
            click.echo(f"{unit}: {before:.4f} before, {after:.4f} after")
    rows = [[tag["tag"], str(tag["before"]), str(tag["after"])] for tag in report["moved"]]
    print_table(["tag", "from concept", "to concept"], rows, "no tag moves")
    if report["documents"]:
        counts = [[each["tag"], str(each["before"] or 0), str(each["after"] or 0)] for each in report["documents"]]
        print_table(["tag", "documents", "then"], counts, "")
