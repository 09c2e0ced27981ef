"""`cotag export`: write a static site of a corpus, or its vocabulary as SKOS."""

import shutil
import tempfile
from pathlib import Path

import click
from redis import Redis

from cotag.commands.tables import print_json
from cotag.errors import StartError
from service.errors import SiteTooLarge
from service.questions.vocabulary.skos import skos
from service.site.content import Files, site_files
from service.view.document_store import DocumentStore, MissingDocuments, left_out_of
from service.view.view import View
from snapshot import Snapshot, SnapshotStore, index_checksums, table_in
from snapshot.store.edits import EditStore

MARK = "cotag-export.json"
"""Every site has this file. A folder without it is not replaced."""


def export_site(redis: Redis, name: str, folder: Path, *, version: str | None, most_mb: int, as_json: bool) -> None:
    """Write the site of the version that is served, or of another, into a new folder or over a site written before.

    Editors' decisions apply to it.
    """
    store = SnapshotStore(redis)
    chosen = version or store.current(name)
    if chosen is None:
        raise StartError(f"corpus {name} has no version to export; cotag corpora lists what is served")
    if folder.exists() and any(folder.iterdir()) and not (folder / MARK).exists():
        raise StartError(f"{folder} has files that cotag export did not write; choose another folder")
    try:
        snapshot = store.load(name, chosen)
        view = View(snapshot, documents=_documents(store, snapshot)).with_edits(EditStore(redis).read(name))
        files = site_files(view, most_mb * 1_000_000)
    except SiteTooLarge as error:
        raise StartError(str(error)) from error
    _write(files | {MARK: f'{{"corpus": "{name}", "version": "{chosen}"}}\n'.encode()}, folder)
    total = sum(map(len, files.values()))
    if as_json:
        print_json({"folder": str(folder), "version": chosen, "files": len(files) + 1, "bytes": total})
    else:
        click.echo(f"{len(files) + 1:,} files, {total / 1e6:.1f} MB: {folder / 'index.html'}")


def export_skos(redis: Redis, name: str, path: Path, *, version: str | None, base: str, as_json: bool) -> None:
    """Write the vocabulary of a version as SKOS: JSON-LD if the file is called so, else Turtle."""
    store = SnapshotStore(redis)
    chosen = version or store.current(name)
    if chosen is None:
        raise StartError(f"corpus {name} has no version to export; cotag corpora lists what is served")
    view = View(store.load(name, chosen)).with_edits(EditStore(redis).read(name))
    body = skos(view, "json-ld" if path.suffix.lower() == ".jsonld" else "turtle", base).body
    try:
        path.write_bytes(body)
    except OSError as error:
        raise StartError(f"{path}: {error.strerror}") from error
    if as_json:
        print_json({"file": str(path), "version": chosen, "tags": len(view.tag_keys), "bytes": len(body)})
    else:
        click.echo(f"{len(view.tag_keys):,} tags and {len(view.clusters):,} concepts, {len(body) / 1e6:.1f} MB: {path}")


def _documents(store: SnapshotStore, snapshot: Snapshot) -> DocumentStore | MissingDocuments:
    """The documents of a version, in memory: the clouds around rare tags are made of them."""
    checksums = index_checksums(store.raw_meta(snapshot.corpus, snapshot.version))
    if checksums is None:
        return left_out_of(snapshot.corpus)
    return DocumentStore(table_in(b"".join(store.index_chunks(snapshot.corpus, snapshot.version, checksums))), snapshot)


def _write(files: Files, folder: Path) -> None:
    """Write all files beside the folder first: a site is there whole, or as it was."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        for path, content in files.items():
            (made / path).parent.mkdir(exist_ok=True)
            (made / path).write_bytes(content)
        made.chmod(0o755)
        if folder.exists():
            shutil.rmtree(folder)
        made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)
