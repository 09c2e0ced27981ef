import sys
from datetime import UTC, datetime
from pathlib import Path

import click
import orjson

from cotag.errors import StartError
from snapshot import Snapshot, encode
from worker.clustering import cluster, load
from worker.corpora import Corpus
from worker.stages import Stages

WIDTH = 100


def cluster_file(path: Path, *, min_count: int, sample: int | None, as_json: bool) -> None:
    """Cluster one file and print its groups of tags."""
    if not path.is_file():
        raise StartError(f"{path} is not a file")
    corpus = Corpus(name="file", source=str(path), path=path, min_count=min_count, sample=sample)
    stages = Stages(_show_progress if sys.stderr.isatty() else _silent)
    tagged, counts = load(corpus, stages)
    snapshot, documents = cluster(corpus, tagged, datetime.now(UTC), stages, notes=counts)
    if sys.stderr.isatty():
        click.echo("\r\033[K", nl=False, err=True)
    if as_json:
        records = encode(snapshot, documents).clusters
        click.echo(orjson.dumps([orjson.loads(record) for record in records.values()], option=orjson.OPT_INDENT_2))
    else:
        _print(snapshot)


def _print(snapshot: Snapshot) -> None:
    click.echo(
        f"{snapshot.document_count} documents, {len(snapshot.names)} tags, {len(snapshot.clusters)} groups of tags"
    )
    by_count = sorted(range(len(snapshot.names)), key=lambda tag: -int(snapshot.counts[tag]))
    for group in snapshot.clusters:
        members = [snapshot.names[tag] for tag in by_count if snapshot.tag_cluster[tag] == group.id]
        line = f"{', '.join(group.label)} ({group.size}): {' · '.join(members)}"
        click.echo("\n" + (line if len(line) <= 3 * WIDTH else line[: 3 * WIDTH - 1] + "…"))


def _show_progress(stage: str, done: int, total: int) -> None:
    click.echo(f"\r\033[K{stage} {100 * done // max(total, 1)} %", nl=False, err=True)


def _silent(stage: str, done: int, total: int) -> None:
    """Nobody watches."""
