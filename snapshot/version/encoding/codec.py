"""Encodes snapshots as bytes and decodes them: JSON for people and other programs, .npz for arrays, never pickle.

The service needs three parts: `meta` (JSON with its own checksum and the checksums of the other parts), `arrays`, and
`index`, which it maps from a file (`document_table`). It reads `documents` on demand; `tags`, `clusters` and
`dendrogram` repeat the arrays for redis-cli. Fields are stored by their types (`fields`).
"""

import hashlib
import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, TypeVar

import numpy as np
import orjson
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from snapshot.errors import SchemaMismatch, SnapshotCorrupt
from snapshot.version.documents.document_table import encode_table
from snapshot.version.encoding.fields import StoredField, array, build, declared, from_arrays, narrow, record, to_arrays
from snapshot.version.encoding.upgrades import UPGRADES, upgraded_arrays, upgraded_head
from snapshot.version.schema import SCHEMA, Documents, DocumentTree, Lineage, Snapshot, SnapshotMeta
from tagmodel.dendrogram import UNIT

T = TypeVar("T")

META: Final = TypeAdapter(SnapshotMeta)
LINEAGE: Final = TypeAdapter(Lineage)

NEWER: Final = (
    "a newer Cotag wrote it; install that one again, or serve an older version (cotag snapshots NAME activate VERSION),"
    " or cluster anew with this one (cotag recluster NAME)"
)
OLDER: Final = "it is older than what any release wrote; cluster anew (cotag recluster NAME)"


TAGS: Final = declared(
    Snapshot,
    own=(
        array("partition.labels", np.int32),
        array("tag_curve.k", np.int32),
        array("document_curve.k", np.int32),
    ),
    without={"tree.sizes", *(field.name for field in fields(SnapshotMeta))},
)
"""The part `arrays`: everything the service needs about tags, beside the meta. Leaves of this tree are single tags."""

DOCUMENTS: Final = (
    record("ids", tuple[str, ...]),
    narrow("clusters", np.int32),
    narrow("leaves", np.int32),
    array("tree.linkage", np.float64),
    narrow("tree.sizes", np.int64),
    record("leaf_names", tuple[str, ...]),
)
"""The part `documents`."""


@dataclass(frozen=True)
class EncodedSnapshot:
    """A snapshot as it is stored: one field per Redis key. `index` has the chunks of the documents; empty: left out."""

    corpus: str
    version: str
    meta: bytes
    arrays: bytes
    documents: bytes
    dendrogram: bytes
    tags: Mapping[str, str]
    clusters: Mapping[str, bytes]
    index: tuple[bytes, ...] = ()


@dataclass(frozen=True)
class Checksums:
    """The SHA-256 of each part; that of the index is one for each chunk, None if there is no index."""

    arrays: str
    documents: str
    index: tuple[str, ...] | None = None


CHECKSUMS: Final = TypeAdapter(Checksums)


def encode(snapshot: Snapshot, documents: Documents) -> EncodedSnapshot:
    """The bytes of a snapshot; the same snapshot always gives the same bytes."""
    arrays, document_arrays = _pack(to_arrays(TAGS, snapshot)), _pack(to_arrays(DOCUMENTS, documents))
    chunks, index = ((), None) if documents.table is None else encode_table(documents.table)
    checksums = Checksums(_sha256(arrays), _sha256(document_arrays), index)
    body = {
        **META.dump_python(snapshot, mode="json", by_alias=True, warnings=False),
        "schema": SCHEMA,
        "sha256": CHECKSUMS.dump_python(checksums, mode="json", exclude_none=True),
    }
    return EncodedSnapshot(
        corpus=snapshot.corpus,
        version=snapshot.version,
        meta=orjson.dumps({**body, "checksum": _checksum(body)}, option=orjson.OPT_SORT_KEYS),
        arrays=arrays,
        documents=document_arrays,
        dendrogram=_encode_dendrogram(snapshot),
        tags={key: str(cluster) for key, cluster in zip(snapshot.keys, snapshot.partition.item_ids, strict=True)},
        clusters=_encode_clusters(snapshot),
        index=chunks,
    )


def decode(meta: bytes, arrays: bytes) -> Snapshot:
    """The snapshot that was encoded, or SnapshotCorrupt / SchemaMismatch."""
    verified = _verify_meta(meta)
    where = f"snapshot {verified.head.version} of {verified.head.corpus}"
    if _sha256(arrays) != verified.checksums.arrays:
        raise SnapshotCorrupt(f"{where}: the checksum of its arrays does not match")
    values = _read_values(TAGS, verified, _unpack(arrays, where), where)
    try:
        return build(Snapshot, {**vars(verified.head), **values})
    except KeyError as error:
        raise SnapshotCorrupt(f"{where}: {error} is missing") from error


def decode_meta(meta: bytes) -> SnapshotMeta:
    """The JSON part alone, with its checksum and schema verified."""
    return _verify_meta(meta).head


def index_checksums(meta: bytes) -> tuple[str, ...] | None:
    """The checksums of the chunks of the index; None if the snapshot has no index."""
    return _verify_meta(meta).checksums.index


def decode_documents(meta: bytes, documents: bytes) -> Documents:
    """The documents of a snapshot."""
    return _decode_part(Documents, meta, documents)


def decode_document_tree(meta: bytes, documents: bytes) -> DocumentTree:
    """The dendrogram of documents, without unpacking the arrays that grow with the number of documents."""
    return _decode_part(DocumentTree, meta, documents, ("tree.linkage", "tree.sizes", "leaf_names"))


@dataclass(frozen=True)
class _VerifiedMeta:
    """A meta that was checked: in the present schema, and as it was stored."""

    head: SnapshotMeta
    checksums: Checksums
    stored: dict[str, Any]

    @property
    def schema(self) -> int:
        """The schema that it was stored with."""
        return int(self.stored["schema"])


def lineage_json(lineage: Lineage) -> dict[str, Any]:
    """The lineage as a JSON object."""
    record: dict[str, Any] = LINEAGE.dump_python(lineage, mode="json", by_alias=True)
    return record


def _verify_meta(meta: bytes) -> _VerifiedMeta:
    """The meta, after checking its schema and checksum, and the checksums of the other parts."""
    try:
        head = orjson.loads(meta)
    except orjson.JSONDecodeError as error:
        raise SnapshotCorrupt(f"the snapshot's meta is not JSON: {error}") from error
    if not isinstance(head, dict) or not isinstance(head.get("schema"), int):
        raise SnapshotCorrupt("the snapshot's meta is not an object with a schema number")
    if head["schema"] != SCHEMA and head["schema"] not in UPGRADES:
        readable = f"{min(UPGRADES)} to {SCHEMA}"
        raise SchemaMismatch(
            f"the snapshot has schema {head['schema']}; this Cotag reads schemas {readable}: "
            + (NEWER if head["schema"] > SCHEMA else OLDER)
        )
    checksum = head.pop("checksum", None)
    if checksum != _checksum(head):
        raise SnapshotCorrupt("the checksum of the snapshot's meta does not match")
    try:
        present = META.validate_python(upgraded_head(head, head["schema"]))
        return _VerifiedMeta(present, CHECKSUMS.validate_python(head["sha256"]), head)
    except (ValidationError, KeyError) as error:
        raise SnapshotCorrupt(f"the snapshot's meta makes no sense: {error}") from error


def _decode_part(kind: type[T], meta: bytes, documents: bytes, names: tuple[str, ...] | None = None) -> T:
    verified = _verify_meta(meta)
    where = f"documents of snapshot {verified.head.version} of {verified.head.corpus}"
    if _sha256(documents) != verified.checksums.documents:
        raise SnapshotCorrupt(f"{where}: the checksum does not match")
    wanted = names if verified.schema == SCHEMA else None
    values = _read_values(DOCUMENTS, verified, _unpack(documents, where, wanted), where)
    try:
        return build(kind, values)
    except KeyError as error:
        raise SnapshotCorrupt(f"{where}: {error} is missing") from error


def _read_values(
    fields: tuple[StoredField, ...], verified: _VerifiedMeta, arrays: dict[str, NDArray[Any]], where: str
) -> dict[str, Any]:
    try:
        present = upgraded_arrays(verified.stored, verified.schema, arrays, of_documents=fields is DOCUMENTS)
        return from_arrays(fields, present)
    except (ValueError, TypeError, KeyError) as error:
        raise SnapshotCorrupt(f"{where}: {error}") from error


def _encode_dendrogram(snapshot: Snapshot) -> bytes:
    """The tree of tags: leaves, then merges [a, b, height, size]; a and b number the leaves first, then the merges."""
    merges = [[int(a), int(b), height, int(size)] for a, b, height, size in snapshot.tree.linkage.tolist()]
    return orjson.dumps({"unit": UNIT, "leaves": snapshot.names, "merges": merges})


def _encode_clusters(snapshot: Snapshot) -> dict[str, bytes]:
    """Id -> JSON of one cluster, its tags by falling count."""
    by_count = np.argsort(-snapshot.counts, kind="stable")
    members: list[list[str]] = [[] for _ in snapshot.clusters]
    for tag in by_count.tolist():
        members[int(snapshot.partition.labels[tag])].append(snapshot.names[tag])
    return {
        str(cluster.id): orjson.dumps(
            {"id": cluster.id, "label": list(cluster.label), "size": cluster.size, "tags": tags}
        )
        for cluster, tags in zip(snapshot.clusters, members, strict=True)
    }


def _pack(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def _unpack(blob: bytes, where: str, names: tuple[str, ...] | None = None) -> dict[str, NDArray[Any]]:
    """The arrays of an archive; with `names`, only those."""
    try:
        with np.load(io.BytesIO(blob), allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files if names is None or name in names}
    except (ValueError, OSError, zipfile.BadZipFile) as error:
        raise SnapshotCorrupt(f"{where}: {error}") from error


def _sha256(blob: bytes) -> str:
    return hashlib.sha256(blob).hexdigest()


def _checksum(body: Mapping[str, Any]) -> str:
    return _sha256(orjson.dumps(body, option=orjson.OPT_SORT_KEYS))
