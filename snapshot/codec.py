"""Snapshot <-> bytes. JSON for what people and other programs read, .npz for arrays; nothing is ever unpickled.

The service needs two parts only: `meta` (JSON, signed by its own checksum, and naming the checksums of the others) and
`arrays`. `documents` is read on demand; `tags`, `clusters` and `dendrogram` repeat what the arrays say, for redis-cli.
"""

import hashlib
import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from snapshot.errors import SchemaTooNew, SnapshotCorrupt
from snapshot.schema import SCHEMA, Cluster, Curve, Documents, DocumentTree, Picture, Placing, Related, Snapshot

CURVE_FIELDS = ("k", "entropy", "information", "criterion")
RELATED_SETTINGS = ("blend", "trust", "tilts", "lone_tilts")

TRANSITIONS = {"blend": 1.0, "tilts": (-1.0, -0.5, 0.0)}
"""How the transition probabilities were ranked that snapshots held before there were weights."""


@dataclass(frozen=True)
class Encoded:
    """A snapshot as it is stored: one field per Redis key."""

    corpus: str
    version: str
    meta: bytes
    arrays: bytes
    documents: bytes
    dendrogram: bytes
    tags: Mapping[str, str]
    clusters: Mapping[str, bytes]


def encode(snapshot: Snapshot, documents: Documents) -> Encoded:
    """The bytes of a snapshot; the same snapshot always gives the same bytes."""
    arrays = _pack(
        {
            "names": _text(snapshot.names),
            "keys": _text(snapshot.keys),
            "counts": snapshot.counts,
            "breadth": snapshot.breadth,
            "broad": snapshot.broad,
            "tag_cluster": snapshot.tag_cluster,
            "tag_linkage": snapshot.tag_linkage,
            "related_starts": snapshot.related.starts,
            "related_indices": snapshot.related.indices,
            "related_scores": snapshot.related.alone,
            "related_together": snapshot.related.together,
            "related_evidence": snapshot.related.evidence,
            "related_prior": snapshot.related.prior,
            **{f"tag_curve_{name}": getattr(snapshot.tag_curve, name) for name in CURVE_FIELDS},
            **{f"document_curve_{name}": getattr(snapshot.document_curve, name) for name in CURVE_FIELDS},
            **_picture_arrays(snapshot.picture),
            **_placing_arrays(snapshot.placing),
        }
    )
    document_arrays = _pack(_document_arrays(documents))
    body = {
        "schema": SCHEMA,
        "corpus": snapshot.corpus,
        "version": snapshot.version,
        "created": snapshot.created.isoformat(),
        "title": snapshot.title,
        "fingerprint": snapshot.fingerprint,
        "documents": snapshot.document_count,
        "tags": len(snapshot.names),
        "clusters": [
            {"id": cluster.id, "label": list(cluster.label), "size": cluster.size} for cluster in snapshot.clusters
        ],
        "parameters": dict(snapshot.parameters),
        "timings": dict(snapshot.timings),
        "quality": dict(snapshot.quality),
        "suggestions": {
            **snapshot.suggestions,
            "blend": snapshot.related.blend,
            "trust": snapshot.related.trust,
            "tilts": list(snapshot.related.tilts),
            "lone_tilts": list(snapshot.related.lone_tilts),
        },
        "lineage": dict(snapshot.lineage),
        **_placing_record(snapshot.placing),
        "sha256": {"arrays": _sha256(arrays), "documents": _sha256(document_arrays)},
    }
    meta = orjson.dumps({**body, "checksum": _checksum(body)}, option=orjson.OPT_SORT_KEYS)
    return Encoded(
        corpus=snapshot.corpus,
        version=snapshot.version,
        meta=meta,
        arrays=arrays,
        documents=document_arrays,
        dendrogram=_dendrogram(snapshot),
        tags={key: str(cluster) for key, cluster in zip(snapshot.keys, snapshot.tag_cluster.tolist(), strict=True)},
        clusters=_cluster_records(snapshot),
    )


def decode(meta: bytes, arrays: bytes) -> Snapshot:
    """The snapshot that was encoded, or SnapshotCorrupt / SchemaTooNew."""
    head = decode_meta(meta)
    where = f"snapshot {head['version']} of {head['corpus']}"
    if _sha256(arrays) != head["sha256"]["arrays"]:
        raise SnapshotCorrupt(f"{where}: the checksum of its arrays does not match")
    part = _unpack(arrays, where)
    try:
        return Snapshot(
            corpus=head["corpus"],
            version=head["version"],
            created=datetime.fromisoformat(head["created"]),
            title=head["title"],
            fingerprint=head["fingerprint"],
            document_count=head["documents"],
            names=_strings(part["names"]),
            keys=_strings(part["keys"]),
            counts=part["counts"],
            breadth=part["breadth"],
            broad=part["broad"],
            tag_cluster=part["tag_cluster"],
            tag_linkage=part["tag_linkage"],
            clusters=tuple(
                Cluster(id=row["id"], label=tuple(row["label"]), size=row["size"]) for row in head["clusters"]
            ),
            related=_related(part, head.get("suggestions", {})),
            tag_curve=Curve(**{name: part[f"tag_curve_{name}"] for name in CURVE_FIELDS}),
            document_curve=Curve(**{name: part[f"document_curve_{name}"] for name in CURVE_FIELDS}),
            parameters=head["parameters"],
            timings=head["timings"],
            quality=head["quality"],
            suggestions={
                name: value for name, value in head.get("suggestions", {}).items() if name not in RELATED_SETTINGS
            },
            lineage=head["lineage"],
            picture=Picture(part["picture_before"], part["picture_after"]) if "picture_after" in part else None,
            placing=_placing(head, part),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise SnapshotCorrupt(f"{where}: {error!r}") from error


def _related(part: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> Related:
    """The weights of related tags; older snapshots have no evidence, the oldest one weight a pair and no settings."""
    nothing = np.zeros(1, dtype=np.float32)
    tilts = settings.get("tilts", TRANSITIONS["tilts"])
    low, middle, high = tilts
    lone_low, lone_middle, lone_high = settings.get("lone_tilts", tilts)
    return Related(
        starts=part["related_starts"],
        indices=part["related_indices"],
        alone=part["related_scores"],
        together=part.get("related_together", part["related_scores"]),
        evidence=part.get("related_evidence", np.broadcast_to(nothing, part["related_scores"].shape)),
        prior=part.get("related_prior", np.broadcast_to(nothing, part["counts"].shape)),
        blend=settings.get("blend", TRANSITIONS["blend"]),
        trust=settings.get("trust", 0.0),
        tilts=(low, middle, high),
        lone_tilts=(lone_low, lone_middle, lone_high),
    )


def decode_meta(meta: bytes) -> dict[str, Any]:
    """The JSON part alone, with its checksum and schema verified."""
    try:
        head = orjson.loads(meta)
    except orjson.JSONDecodeError as error:
        raise SnapshotCorrupt(f"the snapshot's meta is not JSON: {error}") from error
    if not isinstance(head, dict) or not isinstance(head.get("schema"), int):
        raise SnapshotCorrupt("the snapshot's meta is not an object with a schema number")
    if head["schema"] > SCHEMA:
        raise SchemaTooNew(f"the snapshot has schema {head['schema']}; this Cotag reads up to {SCHEMA}")
    checksum = head.pop("checksum", None)
    if checksum != _checksum(head):
        raise SnapshotCorrupt("the checksum of the snapshot's meta does not match")
    return head


def decode_documents(meta: bytes, documents: bytes) -> Documents:
    """The document side of a snapshot."""
    part = _document_part(meta, documents)
    return Documents(
        ids=_strings(part["ids"]),
        clusters=part["clusters"].astype(np.int32),
        linkage=part["linkage"],
        leaves=part["leaves"].astype(np.int32) if "leaves" in part else None,
    )


def decode_document_tree(meta: bytes, documents: bytes) -> DocumentTree:
    """The tree of documents; where its leaves are micro-clusters, nothing that grows with documents is unpacked."""
    part = _document_part(meta, documents, ("linkage", "leaf_names", "leaf_sizes"))
    if "leaf_names" in part:
        return DocumentTree(part["linkage"], _strings(part["leaf_names"]), part["leaf_sizes"])
    names = _strings(_document_part(meta, documents, ("ids",))["ids"])
    return DocumentTree(part["linkage"], names, np.ones(len(names), dtype=np.int64))


def _document_part(meta: bytes, documents: bytes, wanted: tuple[str, ...] | None = None) -> dict[str, NDArray[Any]]:
    head = decode_meta(meta)
    where = f"documents of snapshot {head['version']} of {head['corpus']}"
    if _sha256(documents) != head["sha256"]["documents"]:
        raise SnapshotCorrupt(f"{where}: the checksum does not match")
    return _unpack(documents, where, wanted)


def _document_arrays(documents: Documents) -> dict[str, NDArray[Any]]:
    """Numbers in as few bytes as hold them; names and sizes of the leaves, where several documents share one."""
    arrays = {"ids": _text(documents.ids), "clusters": _narrow(documents.clusters), "linkage": documents.linkage}
    if documents.leaves is None:
        return arrays
    first = np.unique(documents.leaves, return_index=True)[1]
    return {
        **arrays,
        "leaves": _narrow(documents.leaves),
        "leaf_names": _text(tuple(documents.ids[place] for place in first.tolist())),
        "leaf_sizes": np.bincount(documents.leaves).astype(np.int64),
    }


def _narrow(numbers: NDArray[np.int32]) -> NDArray[Any]:
    """The same whole numbers ≥ 0 in the narrowest type."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def _placing_arrays(placing: Placing | None) -> dict[str, NDArray[Any]]:
    if placing is None:
        return {}
    return {"placing_table": placing.table, "placing_mass": placing.mass, "placing_shares": placing.shares}


def _placing_record(placing: Placing | None) -> dict[str, Any]:
    if placing is None:
        return {}
    clusters = [{"id": each.id, "label": list(each.label), "size": each.size} for each in placing.clusters]
    return {"placing": {"sharpness": placing.sharpness, "clusters": clusters}}


def _placing(head: Mapping[str, Any], part: Mapping[str, NDArray[Any]]) -> Placing | None:
    """What tells the cluster of a document; snapshots made before there was such a thing have none."""
    if "placing" not in head:
        return None
    clusters = tuple(Cluster(each["id"], tuple(each["label"]), each["size"]) for each in head["placing"]["clusters"])
    sharpness = float(head["placing"]["sharpness"])
    return Placing(part["placing_table"], part["placing_mass"], part["placing_shares"], sharpness, clusters)


def _dendrogram(snapshot: Snapshot) -> bytes:
    """The tree of tags: leaves, then merges [a, b, height, size] where a and b count leaves first, merges after."""
    merges = [[int(a), int(b), height, int(size)] for a, b, height, size in snapshot.tag_linkage.tolist()]
    return orjson.dumps({"unit": "bits of information lost", "leaves": snapshot.names, "merges": merges})


def _cluster_records(snapshot: Snapshot) -> dict[str, bytes]:
    """Id -> JSON of one cluster, its tags by falling count."""
    by_count = np.argsort(-snapshot.counts, kind="stable")
    members: dict[int, list[str]] = {cluster.id: [] for cluster in snapshot.clusters}
    for tag in by_count.tolist():
        members[int(snapshot.tag_cluster[tag])].append(snapshot.names[tag])
    return {
        str(cluster.id): orjson.dumps(
            {
                "id": cluster.id,
                "label": list(cluster.label),
                "size": cluster.size,
                "tags": members[cluster.id],
            }
        )
        for cluster in snapshot.clusters
    }


def _picture_arrays(picture: Picture | None) -> dict[str, NDArray[np.uint8]]:
    """Snapshots may lack pictures: those of before there were any, and those of tests."""
    return {} if picture is None else {"picture_before": picture.before, "picture_after": picture.after}


def _pack(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def _unpack(blob: bytes, where: str, wanted: tuple[str, ...] | None = None) -> dict[str, NDArray[Any]]:
    """The arrays of an archive, or those of them that are wanted and there."""
    try:
        with np.load(io.BytesIO(blob), allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files if wanted is None or name in wanted}
    except (ValueError, OSError, zipfile.BadZipFile) as error:
        raise SnapshotCorrupt(f"{where}: {error}") from error


def _text(strings: tuple[str, ...]) -> NDArray[np.uint8]:
    return np.frombuffer(orjson.dumps(strings), dtype=np.uint8)


def _strings(text: NDArray[np.uint8]) -> tuple[str, ...]:
    return tuple(orjson.loads(text.tobytes()))


def _sha256(blob: bytes) -> str:
    return hashlib.sha256(blob).hexdigest()


def _checksum(body: Mapping[str, Any]) -> str:
    return _sha256(orjson.dumps(body, option=orjson.OPT_SORT_KEYS))
