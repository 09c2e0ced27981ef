"""`cotag cluster`: clusters one file or database once, without a store."""

import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import click
import numpy as np
import orjson

from cotag.commands.clustering.sources import SourceOptions, recognised_sections
from cotag.errors import StartError
from cotag.packages import require
from snapshot import Documents, Snapshot, encode
from snapshot.version.gain import warning
from tagmodel import Company, Partition
from worker.clustering.cluster import cluster, load_documents
from worker.clustering.labels import label_clusters
from worker.clustering.stages import Stages
from worker.recognition import section_corpus
from worker.vocabulary.left_out import left_out

WIDTH = 100
LEAVES = 30
"""Leaves of a drawing without -k: more would be unreadable."""

FORMATS = (".svg", ".png", ".newick", ".json")


def cluster_file(
    target: str,
    options: SourceOptions,
    *,
    k: int | None,
    min_count: int,
    sample: int | None,
    dendrogram: Path | None,
    as_json: bool,
) -> None:
    """Cluster one file or database, print its groups of tags and, with `dendrogram`, draw their tree."""
    if dendrogram is not None:
        _check_drawing(dendrogram)
    (section,) = recognised_sections([target], options, min_count)
    click.echo(section.recognised.description, err=True)
    corpus = section_corpus(section, sample=sample, documents=False)
    stages = Stages(_show_progress if sys.stderr.isatty() else _no_progress)
    tagged, counts = load_documents(corpus, stages)
    if sys.stderr.isatty():
        click.echo("\r\033[K", nl=False, err=True)
    click.echo(left_out(tagged, min_count).description, err=True)
    snapshot, documents = cluster(corpus, tagged, datetime.now(UTC), stages, notes=counts)
    if sys.stderr.isatty():
        click.echo("\r\033[K", nl=False, err=True)
    if k is not None:
        snapshot = cut_snapshot(snapshot, k)
    elif doubt := warning(snapshot.quality):
        click.echo(doubt, err=True)
    _print_result(snapshot, documents, as_json=as_json)
    if dendrogram is not None:
        from cotag.commands.clustering.dendrogram_file import write_dendrogram  # noqa: PLC0415 - needs parts of the service

        write_dendrogram(snapshot, dendrogram, k or min(LEAVES, len(snapshot.names)))


def _check_drawing(file: Path) -> None:
    """StartError if this file cannot be drawn here."""
    if file.suffix not in FORMATS:
        raise StartError(f"{file}: the name of a dendrogram ends in {', '.join(FORMATS)}")
    require("service", *(["plot"] if file.suffix == ".png" else []))


def cut_snapshot(snapshot: Snapshot, k: int) -> Snapshot:
    """The same snapshot with exactly k clusters of tags."""
    if not 1 <= k <= len(snapshot.names):
        raise StartError(f"-k must be between 1 and {len(snapshot.names)}, the number of tags, not {k}")
    partition = Partition.from_ids(snapshot.tree.cut(k))
    company = Company.of(snapshot.related, partition.labels, snapshot.broad)
    clusters = label_clusters(company, partition, snapshot.counts, snapshot.names, snapshot.keys, edited={})
    return replace(snapshot, partition=partition, clusters=clusters, cluster_documents=())


def _print_result(snapshot: Snapshot, documents: Documents, *, as_json: bool) -> None:
    if as_json:
        records = encode(snapshot, documents).clusters
        click.echo(orjson.dumps([orjson.loads(record) for record in records.values()], option=orjson.OPT_INDENT_2))
        return
    click.echo(
        f"{snapshot.document_count} documents, {len(snapshot.names)} tags, {len(snapshot.clusters)} groups of tags"
    )
    if len(snapshot.tail):
        click.echo(f"{snapshot.tail.placed} of {len(snapshot.tail)} rare tags were placed in these groups")
    by_count = np.argsort(-snapshot.counts, kind="stable").tolist()
    for group in sorted(snapshot.clusters, key=lambda group: (-group.size, group.id)):
        members = [snapshot.names[tag] for tag in by_count if snapshot.partition.item_ids[tag] == group.id]
        line = f"{group.name} ({group.size}): {' · '.join(members)}"
        click.echo("\n" + (line if len(line) <= 3 * WIDTH else line[: 3 * WIDTH - 1] + "…"))


def _show_progress(stage: str, done: int, total: int) -> None:
    click.echo(f"\r\033[K{stage} {100 * done // max(total, 1)} %", nl=False, err=True)


def _no_progress(stage: str, done: int, total: int) -> None:
    """Show nothing: stderr is not a terminal."""
