"""`cotag cluster`: clusters one file once, without a store."""

import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import click
import numpy as np
import orjson

from cotag.errors import StartError
from snapshot import Documents, Snapshot, encode
from snapshot.meaning import warning
from tagmodel import Cluster, Partition
from worker.clustering import cluster, load
from worker.corpora import Corpus
from worker.labels import choose_label
from worker.stages import Stages

WIDTH = 100
LEAVES = 30
"""Leaves of a drawing without -k: more would be unreadable."""

FORMATS = (".svg", ".png", ".newick", ".json")


def cluster_file(
    path: Path, *, k: int | None, min_count: int, sample: int | None, dendrogram: Path | None, as_json: bool
) -> None:
    """Cluster one file, print its groups of tags and, with `dendrogram`, draw their tree."""
    if not path.is_file():
        raise StartError(f"{path} is not a file")
    if dendrogram is not None and dendrogram.suffix not in FORMATS:
        raise StartError(f"{dendrogram}: the name of a dendrogram ends in {', '.join(FORMATS)}")
    corpus = Corpus(name="file", source=str(path), path=path, min_count=min_count, sample=sample, documents=False)
    stages = Stages(_show_progress if sys.stderr.isatty() else _no_progress)
    tagged, counts = load(corpus, stages)
    snapshot, documents = cluster(corpus, tagged, datetime.now(UTC), stages, notes=counts)
    if sys.stderr.isatty():
        click.echo("\r\033[K", nl=False, err=True)
    if k is not None:
        snapshot = cut_snapshot(snapshot, k)
    elif doubt := warning(snapshot.quality):
        click.echo(doubt, err=True)
    _print_result(snapshot, documents, as_json=as_json)
    if dendrogram is not None:
        from cotag.drawing import write_dendrogram  # noqa: PLC0415 - needs parts of the service

        write_dendrogram(snapshot, dendrogram, k or min(LEAVES, len(snapshot.names)))


def cut_snapshot(snapshot: Snapshot, k: int) -> Snapshot:
    """The same snapshot with exactly k clusters of tags, labelled by their commonest tags."""
    if not 1 <= k <= len(snapshot.names):
        raise StartError(f"-k must be between 1 and {len(snapshot.names)}, the number of tags, not {k}")
    partition = Partition.from_ids(snapshot.tree.cut(k))
    scores = snapshot.counts.astype(np.float64)
    clusters = []
    for number in range(k):
        members = partition.members(number).tolist()
        clusters.append(Cluster(number, choose_label(members, snapshot.names, scores), len(members)))
    return replace(snapshot, partition=partition, clusters=tuple(clusters), cluster_documents=())


def _print_result(snapshot: Snapshot, documents: Documents, *, as_json: bool) -> None:
    if as_json:
        records = encode(snapshot, documents).clusters
        click.echo(orjson.dumps([orjson.loads(record) for record in records.values()], option=orjson.OPT_INDENT_2))
        return
    click.echo(
        f"{snapshot.document_count} documents, {len(snapshot.names)} tags, {len(snapshot.clusters)} groups of tags"
    )
    by_count = np.argsort(-snapshot.counts, kind="stable").tolist()
    for group in sorted(snapshot.clusters, key=lambda group: (-group.size, group.id)):
        members = [snapshot.names[tag] for tag in by_count if snapshot.partition.item_ids[tag] == group.id]
        line = f"{group.name} ({group.size}): {' · '.join(members)}"
        click.echo("\n" + (line if len(line) <= 3 * WIDTH else line[: 3 * WIDTH - 1] + "…"))


def _show_progress(stage: str, done: int, total: int) -> None:
    click.echo(f"\r\033[K{stage} {100 * done // max(total, 1)} %", nl=False, err=True)


def _no_progress(stage: str, done: int, total: int) -> None:
    """Show nothing: stderr is not a terminal."""
