"""`cotag snapshots`: list, show, compare, export, activate and delete the stored versions of a corpus."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import orjson
from redis import Redis

from cotag.commands.tables import print_json, print_table
from cotag.errors import StartError
from snapshot import Alias, Snapshot, SnapshotError, SnapshotStore, StoreUnavailable, encode
from snapshot.store.operation.control import Control
from snapshot.version.encoding.codec import META
from snapshot.version.gain import gain, warning

SHOWN_TAGS = 8
HEADINGS = [
    *("version", "", "documents", "tags", "clusters", "tags moved"),
    *("information kept", "bits beyond random", "tags found", "took"),
]

EXPECTED = {
    "list": (0, 0, ""),
    "show": (0, 1, "[VERSION]"),
    "diff": (2, 2, "OLD NEW"),
    "export": (1, 2, "FILE [VERSION]"),
    "activate": (1, 1, "VERSION"),
    "delete": (1, 1, "VERSION"),
    "pin": (1, 1, "VERSION"),
    "unpin": (0, 0, ""),
}
"""Minimum and maximum number of arguments of each action, and their names."""


def run_snapshots_action(redis: Redis, name: str, action: str, arguments: tuple[str, ...], *, as_json: bool) -> None:
    """Run one action of `cotag snapshots`."""
    least, most, form = EXPECTED[action]
    if not least <= len(arguments) <= most:
        raise StartError(f"usage: cotag snapshots NAME {action} {form}".rstrip())
    match action:
        case "show":
            show(redis, name, *arguments, as_json=as_json)
        case "diff":
            print_comparison(redis, name, *arguments, as_json=as_json)
        case "export":
            export_version(redis, name, Path(arguments[0]), *arguments[1:], as_json=as_json)
        case "activate":
            activate(redis, name, *arguments, as_json=as_json)
        case "delete":
            delete(redis, name, *arguments, as_json=as_json)
        case "pin":
            activate(redis, name, *arguments, pin=True, as_json=as_json)
        case "unpin":
            unpin(redis, name, as_json=as_json)
        case _:
            list_versions(redis, name, as_json=as_json)


def list_versions(redis: Redis, name: str, *, as_json: bool) -> None:
    """Print all stored versions, newest first, with their quality figures."""
    store = SnapshotStore(redis)
    current, pinned = store.current(name), Control(redis).pinned(name)
    versions = [
        {**_summarise(store, name, version, served=version == current), "pinned": version == pinned}
        for version in store.versions(name)
    ]
    if as_json:
        print_json(versions)
        return
    rows = [
        [version["version"], "served, unreadable" if version["served"] else "unreadable"]
        if "error" in version
        else [
            version["version"],
            "served, pinned" if version["pinned"] else "served" if version["served"] else "",
            *(str(version[column]) for column in ("documents", "tags", "clusters")),
            f"{version['moved']:.1%}",
            f"{version['quality'].get('information_kept', 0):.1%}",
            _bits(version["quality"]),
            f"{version['suggestions']['recall']:.1%}" if "recall" in version["suggestions"] else "",
            f"{version['seconds']} s",
        ]
        for version in versions
    ]
    print_table(HEADINGS, rows, f"{name} has no versions")
    for version in versions:
        if remark := version.get("error") or version.get("warning"):
            click.echo(f"{version['version']}: {remark}")


def _bits(quality: Mapping[str, float]) -> str:
    """The bits that the clusters predict beyond random ones; empty for older versions."""
    gained = gain(quality)
    return "" if gained is None else f"{gained:.2f}"


def _summarise(store: SnapshotStore, name: str, version: str, *, served: bool) -> dict[str, Any]:
    """The figures of one version; if it cannot be read, the error instead."""
    try:
        meta = store.meta(name, version)
    except StoreUnavailable:
        raise
    except SnapshotError as error:
        return {"version": version, "served": served, "error": str(error)}
    return {
        "version": version,
        "served": served,
        "documents": meta.all_documents,
        "tags": meta.all_tags,
        "rare_tags": meta.tail_tag_count,
        "clusters": len(meta.clusters),
        "moved": meta.lineage.moved,
        "quality": dict(meta.quality),
        "warning": warning(meta.quality),
        "suggestions": dict(meta.suggestions),
        "seconds": round(sum(meta.timings.values()), 1),
    }


def activate(redis: Redis, name: str, version: str, *, pin: bool = False, as_json: bool) -> None:
    """Make another version the served one, and pin it or not."""
    SnapshotStore(redis).activate(name, version, pin=pin)
    until = " until it is unpinned; runs are held" if pin else ""
    _print_done({"corpus": name, "version": version}, f"{name} now serves {version}{until}", as_json=as_json)


def unpin(redis: Redis, name: str, *, as_json: bool) -> None:
    """Let runs publish again."""
    pinned = Control(redis).pinned(name)
    if pinned is None:
        raise StartError(f"no version of {name} is pinned")
    Control(redis).unpin(name)
    _print_done({"corpus": name, "version": pinned}, f"{pinned} of {name} is no longer pinned", as_json=as_json)


def delete(redis: Redis, name: str, version: str, *, as_json: bool) -> None:
    """Delete a version that is not served."""
    SnapshotStore(redis).delete(name, version)
    _print_done({"corpus": name, "version": version}, f"{version} of {name} is deleted", as_json=as_json)


def show(redis: Redis, name: str, version: str | None = None, *, as_json: bool) -> None:
    """Print one version: parameters, quality, clusters and their lineage, and the other names of tags."""
    store = SnapshotStore(redis)
    meta = store.load(name, _version(store, name, version))
    if as_json:
        aliases = [asdict(alias) for alias in meta.aliases]
        print_json({**META.dump_python(meta, mode="json", by_alias=True, warnings=False), "aliases": aliases})
        return
    click.echo(
        f"{name} {meta.version}: {meta.all_documents} documents, {meta.all_tags} tags ({meta.tail_tag_count} rare)"
    )
    if doubt := warning(meta.quality):
        click.echo(doubt)
    for section in ("parameters", "quality", "suggestions", "timings"):
        click.echo(f"\n{section}")
        for key, value in getattr(meta, section).items():
            click.echo(f"  {key}: {value}")
    rows = [
        [str(cluster.id), str(cluster.size), cluster.name, meta.lineage.clusters[cluster.id].kind]
        for cluster in meta.clusters
    ]
    click.echo("")
    print_table(["id", "tags", "label", "lineage"], rows, "no clusters")
    if meta.aliases:
        click.echo("\nother names of tags")
        _print_aliases(meta)


def _print_aliases(snapshot: Snapshot) -> None:
    """Print the aliases of each tag, and how they came to stand for it."""
    names = dict(zip(snapshot.keys, snapshot.names, strict=True))
    by_tag: defaultdict[str, list[Alias]] = defaultdict(list)
    for alias in snapshot.aliases:
        by_tag[alias.tag].append(alias)
    for key, aliases in by_tag.items():
        listed = ", ".join(f"{alias.name} ({alias.how}, {alias.count})" for alias in aliases)
        click.echo(f"  {names.get(key, f'{key}, too rare')}: {listed}")


def print_comparison(redis: Redis, name: str, old: str, new: str, *, as_json: bool) -> None:
    """Print the tags that came, went or changed cluster between two versions."""
    store = SnapshotStore(redis)
    before, after = store.load(name, old), store.load(name, new)
    was, now = _clusters(before), _clusters(after)
    labels = {cluster.id: cluster.name for cluster in (*before.clusters, *after.clusters)}
    moved = {tag: (was[tag], now[tag]) for tag in was if tag in now and was[tag] != now[tag]}
    changes: dict[str, Any] = {
        "moved": [{"tag": tag, "from": one, "to": other} for tag, (one, other) in sorted(moved.items())],
        "came": sorted(now.keys() - was.keys()),
        "went": sorted(was.keys() - now.keys()),
        "share_moved": len(moved) / max(len(was.keys() & now.keys()), 1),
    }
    if as_json:
        print_json(changes)
        return
    click.echo(
        f"{len(moved)} tags changed cluster ({changes['share_moved']:.1%}), "
        f"{len(changes['came'])} came, {len(changes['went'])} went"
    )
    rows = [[move["tag"], labels[move["from"]], labels[move["to"]]] for move in changes["moved"]]
    if rows:
        print_table(["tag", "from", "to"], rows, "")
    for word in ("came", "went"):
        if changes[word]:
            shown = ", ".join(changes[word][:SHOWN_TAGS]) + (" …" if len(changes[word]) > SHOWN_TAGS else "")
            click.echo(f"{word}: {shown}")


def export_version(redis: Redis, name: str, file: Path, version: str | None = None, *, as_json: bool) -> None:
    """Write the clusters, the tag map and the tree of one version to one JSON file."""
    store = SnapshotStore(redis)
    chosen = _version(store, name, version)
    encoded = encode(store.load(name, chosen), store.documents(name, chosen))
    content = {
        "corpus": name,
        "version": chosen,
        "clusters": [orjson.loads(record) for record in encoded.clusters.values()],
        "tags": {tag: int(cluster) for tag, cluster in encoded.tags.items()},
        "dendrogram": orjson.loads(encoded.dendrogram),
    }
    try:
        file.write_bytes(orjson.dumps(content, option=orjson.OPT_INDENT_2))
    except OSError as error:
        raise StartError(f"{file}: {error.strerror}") from error
    record = {"corpus": name, "version": chosen, "file": str(file)}
    _print_done(record, f"{chosen} of {name} written to {file}", as_json=as_json)


def _print_done(record: dict[str, str], sentence: str, *, as_json: bool) -> None:
    if as_json:
        print_json(record)
    else:
        click.echo(sentence)


def _version(store: SnapshotStore, name: str, version: str | None) -> str:
    chosen = version or store.current(name)
    if chosen is None:
        raise StartError(f"{name} has no snapshot")
    return chosen


def _clusters(snapshot: Snapshot) -> dict[str, int]:
    return dict(zip(snapshot.names, snapshot.partition.item_ids.tolist(), strict=True))
