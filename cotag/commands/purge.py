"""`cotag purge`: removes documents from everything that Cotag has stored, and says what it removed."""

from pathlib import Path
from typing import Any

import click
from redis import Redis

from cotag.commands.store_address import data_folder
from cotag.commands.tables import print_json
from cotag.errors import StartError
from snapshot import CorpusRegister, SnapshotStore, StoreSettings, read_settings
from snapshot.store.erasure import Eraser


def purge_documents(redis: Redis, name: str, ids: tuple[str, ...], *, everything: bool, as_json: bool) -> None:
    """Remove documents by id, or all, and print what was removed."""
    from service.live.disk_cache import DiskCache  # noqa: PLC0415 - needs the packages of the service
    from service.live.document_files import DocumentFiles  # noqa: PLC0415 - as above

    if bool(ids) == everything:
        raise StartError("give the ids of documents to remove, or --all: cotag purge NAME ID...")
    declared = CorpusRegister(redis).read().get(name)
    if declared is None and name not in SnapshotStore(redis).corpora():
        raise StartError(f"there is no corpus {name} (see `cotag corpora`)")

    def say(line: str) -> None:
        click.echo(line, err=True)

    eraser = Eraser(redis, name, say)
    erasure = eraser.erase_all() if everything else eraser.erase(ids)
    files = [
        path for folder in _folders() for path in (*DiskCache(folder).erase(name), *DocumentFiles(folder).erase(name))
    ]
    unknown = [] if everything else sorted(set(ids) - erasure.found)
    from_source = declared is None or not declared.pushed
    record: dict[str, Any] = {
        "corpus": name,
        "pushed": erasure.pushed,
        "rewritten": erasure.rewritten,
        "deleted": erasure.deleted,
        "files": [str(path) for path in files],
        "store_files_rewritten": erasure.files_rewritten,
        "unknown": unknown,
    }
    if as_json:
        print_json(record)
    else:
        _print(name, record, from_source=from_source)
    if erasure.files_rewritten is False:
        raise StartError("the files of the store may still have the documents; docs/how-to/erase.md says what to do")


def _print(name: str, record: dict[str, Any], *, from_source: bool) -> None:
    click.echo(f"removed from the pushed documents: {record['pushed']:,}")
    for version, count in record["rewritten"].items():
        click.echo(f"removed from version {version}: {count:,}")
    for version in record["deleted"]:
        click.echo(f"deleted version {version}")
    for path in record["files"]:
        click.echo(f"removed file {path}")
    if record["store_files_rewritten"]:
        click.echo("the store wrote its files anew")
    if record["unknown"]:
        click.echo(f"not found anywhere: {', '.join(record['unknown'])}")
    if from_source:
        click.echo(
            f"{name} reads its documents from a source of its own: remove them there, or the next run reads them"
        )
    click.echo("backups, exports and logs are files of yours: docs/how-to/erase.md")


def _folders() -> list[Path]:
    """Where services on this machine keep copies: as set, or that of a `cotag up` in this directory."""
    own = read_settings(StoreSettings).cache_dir
    folders = [own] if own is not None else [data_folder() / "snapshots"]
    return [folder for folder in folders if folder.is_dir()]
