"""Snapshot to bytes and back: the same, verified, and readable by other programs."""

import hashlib
import json
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from numpy.typing import NDArray

from snapshot import (
    SCHEMA,
    Alias,
    Documents,
    Proposal,
    SchemaMismatch,
    SnapshotCorrupt,
    decode,
    decode_document_tree,
    decode_documents,
    decode_meta,
    encode,
    index_checksums,
    table_in,
    version_at,
)
from snapshot.version.documents.document_table import decode_chunk
from snapshot.version.encoding.codec import DOCUMENTS, TAGS, _checksum, _pack, _unpack
from snapshot.version.encoding.fields import array, declared, from_arrays, to_arrays
from snapshot.version.encoding.upgrades import UPGRADES
from snapshot.version.schema import Snapshot, SnapshotMeta
from tagmodel import Dendrogram
from tests.clustered import TAGS as TAG_NAMES
from tests.clustered import clustered, counts, published, snapshot_at
from tests.snapshot.snapshots import grouped_documents

GOLDEN = Path(__file__).parents[1] / "golden"


def same(one, other):
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if hasattr(one, "__dataclass_fields__"):
        return all(same(getattr(one, each.name), getattr(other, each.name)) for each in fields(one))
    return one == other


def golden(schema):
    folder = GOLDEN / f"schema-{schema}"
    return tuple((folder / name).read_bytes() for name in ("meta.json", "arrays.npz", "documents.npz"))


def signed(head):
    """A meta with the checksum that belongs to it."""
    body = {name: value for name, value in head.items() if name != "checksum"}
    return orjson.dumps({**body, "checksum": _checksum(body)})


def resigned(meta, arrays, **more):
    """The meta that belongs to other arrays."""
    head = orjson.loads(meta) | more
    head["sha256"]["arrays"] = hashlib.sha256(arrays).hexdigest()
    return signed(head), arrays


def test_the_other_names_of_tags_are_stored_and_versions_without_them_can_be_read():
    aliases = (Alias("Crédit-Card", "credit card", "spelling", 3), Alias("auto", "car", "synonym", 0))
    encoded = published(aliases=aliases)
    assert decode(encoded.meta, encoded.arrays).aliases == aliases
    arrays = _pack({name: array for name, array in _unpack(encoded.arrays, "").items() if name != "aliases"})
    assert decode(*resigned(encoded.meta, arrays)).aliases == ()


def test_proposals_are_stored_and_versions_without_them_can_be_read():
    found = (Proposal("variant", "payment", "paymnet", 60, 9, 1, 0.82, ("cash",), ("d0", "d4")),)
    encoded = published(proposals=found)
    assert decode(encoded.meta, encoded.arrays).proposals == found
    arrays = _pack({name: array for name, array in _unpack(encoded.arrays, "").items() if name != "proposals"})
    assert decode(*resigned(encoded.meta, arrays)).proposals == ()


def test_what_is_decoded_is_what_was_encoded():
    encoded = published()
    once = decode(encoded.meta, encoded.arrays)
    again = encode(once, clustered()[1])
    assert same(decode(again.meta, again.arrays), once)
    before = snapshot_at()
    narrower = {
        name: replace(curve, k=curve.k.astype(np.int32))
        for name, curve in {"tag_curve": before.tag_curve, "document_curve": before.document_curve}.items()
    }
    for field in fields(Snapshot):
        assert same(getattr(once, field.name), getattr(replace(before, **narrower), field.name)), field.name
    assert same(decode_documents(encoded.meta, encoded.documents), replace(clustered()[1], table=None))


def test_every_field_of_a_snapshot_is_stored():
    """In the meta, or as one of the declared arrays: none can be forgotten."""
    stored = {field.path.partition(".")[0] for field in TAGS} | {field.name for field in fields(SnapshotMeta)}
    assert {field.name for field in fields(Snapshot)} == stored
    stored = {field.path.partition(".")[0] for field in DOCUMENTS}
    assert {field.name for field in fields(Documents)} <= {*stored, "table"}


def test_every_field_is_stored_by_its_type():
    """What says nothing about its type has to say how it is stored."""

    @dataclass
    class Inner:
        numbers: NDArray[np.int16]
        texts: tuple[str, ...]

    @dataclass
    class Outer:
        inner: Inner
        unsaid: NDArray[Any]

    hidden = array("unsaid", np.int8)
    value = Outer(Inner(np.arange(3, dtype=np.int16), ("a", "b")), np.arange(2))
    with pytest.raises(TypeError, match="unsaid: say how it is stored"):
        declared(Outer)
    assert [field.path for field in declared(Outer, without={"unsaid"})] == ["inner.numbers", "inner.texts"]
    stored = declared(Outer, own=(hidden,))
    arrays = to_arrays(stored, value)
    assert [each.dtype for each in arrays.values()] == [np.int16, np.uint8, np.int8]
    assert from_arrays(stored, arrays)["inner.texts"] == ("a", "b")


def test_an_array_that_a_newer_writer_added_is_passed_over():
    encoded = published()
    meta, packed = resigned(encoded.meta, _pack({**_unpack(encoded.arrays, ""), "mood": np.zeros(3)}), mood="fine")
    assert decode(meta, packed).names == snapshot_at().names


def test_an_array_that_is_missing_is_named():
    encoded = published()
    arrays = _unpack(encoded.arrays, "")
    del arrays["related.prior"]
    meta, packed = resigned(encoded.meta, _pack(arrays))
    with pytest.raises(SnapshotCorrupt, match=r"related\.prior' is missing"):
        decode(meta, packed)


def test_the_same_snapshot_gives_the_same_bytes():
    assert published() == published()


def test_versions_sort_by_time():
    moments = [datetime(2026, 1, 2, 3, 4, 5, ms * 1000, tzinfo=UTC) for ms in (0, 9, 10, 999)]
    moments += [datetime(2026, 1, 2, 3, 4, 6, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)]
    versions = [version_at(moment) for moment in moments]
    assert versions == sorted(versions)
    assert len(set(versions)) == len(versions)


@pytest.mark.parametrize("position", [0.0, 0.3, 0.99])
def test_a_flipped_bit_in_the_arrays_is_noticed(position):
    encoded = published()
    damaged = bytearray(encoded.arrays)
    damaged[int(position * len(damaged))] ^= 1
    with pytest.raises(SnapshotCorrupt, match="checksum"):
        decode(encoded.meta, bytes(damaged))


def test_changed_meta_is_noticed():
    encoded = published()
    with pytest.raises(SnapshotCorrupt, match="checksum"):
        decode(encoded.meta.replace(b'"document_count":200', b'"document_count":201'), encoded.arrays)


@pytest.mark.parametrize("meta", [b"", b"nonsense", b"[]", b'{"schema":"1"}'])
def test_meta_that_is_no_meta_is_refused(meta):
    with pytest.raises(SnapshotCorrupt):
        decode(meta, b"")


def test_meta_that_makes_no_sense_is_refused_although_it_is_signed():
    head = orjson.loads(published().meta)
    head["clusters"] = [{"id": "zero"}]
    with pytest.raises(SnapshotCorrupt, match="clusters"):
        decode_meta(signed(head))


@pytest.mark.parametrize("schema", [0, SCHEMA + 1])
def test_an_unknown_schema_is_refused_as_such(schema):
    head = orjson.loads(published().meta)
    head["schema"] = schema
    with pytest.raises(SchemaMismatch, match=f"schema {schema}; this Cotag reads schemas 1 to {SCHEMA}"):
        decode(orjson.dumps(head), b"")


def test_every_older_schema_has_a_step_and_a_golden():
    assert sorted(UPGRADES) == list(range(1, SCHEMA))
    assert sorted(folder.name for folder in GOLDEN.iterdir()) == [f"schema-{n}" for n in range(1, SCHEMA + 1)]


@pytest.mark.parametrize("schema", range(1, SCHEMA))
def test_a_snapshot_of_an_older_schema_is_read_with_the_same_ids(schema):
    """All goldens are of one corpus: tags, clusters, related tags and documents must be those of the present one."""
    meta, arrays, documents = golden(schema)
    snapshot, present = decode(meta, arrays), decode(*golden(SCHEMA)[:2])
    assert [cluster.id for cluster in snapshot.clusters] == list(snapshot.partition.ids)
    assert snapshot.lineage.next_id == present.lineage.next_id
    assert (snapshot.names, snapshot.keys) == (present.names, present.keys)
    assert dict(zip(snapshot.keys, snapshot.partition.item_ids.tolist(), strict=True)) == dict(
        zip(present.keys, present.partition.item_ids.tolist(), strict=True)
    )
    assert np.allclose(snapshot.tree.linkage, present.tree.linkage)
    assert [cluster.size for cluster in snapshot.classifier.clusters] == [50] * 4
    assert snapshot.related.candidates((0,)).tags.tolist() == present.related.candidates((0,)).tags.tolist()
    assert (snapshot.document_count, snapshot.tag_count, len(snapshot.tail)) == (200, len(TAG_NAMES), 0)
    stored = decode_documents(meta, documents)
    now = decode_documents(golden(SCHEMA)[0], golden(SCHEMA)[2])
    assert (stored.ids, stored.leaf_names) == (now.ids, now.leaf_names)
    assert stored.clusters.tolist() == now.clusters.tolist()
    assert stored.tree.leaves == decode_document_tree(meta, documents).tree.leaves == 200
    again = encode(snapshot, stored)
    assert same(decode(again.meta, again.arrays), snapshot), "it is of the present schema from now on"


def test_a_snapshot_that_this_schema_wrote_before_can_be_read():
    """Written once by the worker, on the four topics of tests/clustered.py, and never since."""
    meta, arrays, documents = golden(SCHEMA)
    snapshot = decode(meta, arrays)
    assert sorted(snapshot.names, key=str.casefold) == TAG_NAMES
    assert dict(zip(snapshot.names, snapshot.counts.tolist(), strict=True)) == counts()
    assert [cluster.id for cluster in snapshot.clusters] == list(snapshot.partition.ids)
    assert snapshot.partition.sizes.tolist() == [cluster.size for cluster in snapshot.clusters]
    assert snapshot.lineage.previous is None
    assert snapshot.tree.leaves == len(TAG_NAMES)
    assert len(decode_documents(meta, documents).ids) == snapshot.document_count == 200
    (digest,) = index_checksums(meta)
    table = table_in(decode_chunk((GOLDEN / f"schema-{SCHEMA}" / "index.zlib").read_bytes(), digest, "golden"))
    assert [table.index.count(tag) for tag in range(len(snapshot.names))] == snapshot.counts.tolist()
    assert table.ids.get(0) == b"d0"
    again = encode(snapshot, decode_documents(meta, documents))
    assert same(decode(again.meta, again.arrays), snapshot)


def test_arrays_of_objects_cannot_be_written():
    with pytest.raises((TypeError, ValueError)):
        encode(snapshot_at(counts=np.array([object()] * len(TAG_NAMES))), clustered()[1])


def test_other_programs_can_read_the_maps_and_the_dendrogram():
    encoded, snapshot = published(), snapshot_at()
    place = snapshot.names.index("credit card")
    cluster = int(snapshot.partition.item_ids[place])
    assert encoded.tags["credit card"] == str(cluster)
    record = json.loads(encoded.clusters[str(cluster)])
    assert record["id"] == cluster
    assert "credit card" in record["tags"]
    assert record["size"] == len(record["tags"])
    assert [counts()[tag] for tag in record["tags"]] == sorted((counts()[tag] for tag in record["tags"]), reverse=True)
    tree = json.loads(encoded.dendrogram)
    assert tree["leaves"] == list(snapshot.names)
    assert tree["merges"] == snapshot.tree.linkage.tolist()


def test_micro_clusters_are_decoded_as_they_were_encoded():
    encoded = encode(snapshot_at(), grouped_documents())
    assert same(decode_documents(encoded.meta, encoded.documents), replace(grouped_documents(), table=None))


def test_the_tree_of_documents_is_read_without_the_documents():
    """Its leaves carry the name of their first document and the number of their documents."""
    encoded = encode(snapshot_at(), grouped_documents())
    stored = decode_document_tree(encoded.meta, encoded.documents)
    assert stored.leaf_names == clustered()[1].ids[:4]
    assert stored.tree.sizes.tolist() == [50, 50, 50, 50]
    np.testing.assert_array_equal(stored.tree.linkage, grouped_documents().tree.linkage)
    alone = decode_document_tree(published().meta, published().documents)
    assert (alone.leaf_names, alone.tree.items) == (clustered()[1].ids, 200)


def test_a_document_takes_a_few_bytes():
    """Ids as a database counts them, a thousand micro-clusters, fifty clusters."""
    random = np.random.default_rng(0)
    n = 100_000
    leaves = np.concatenate([np.arange(1000), random.integers(0, 1000, n - 1000)]).astype(np.int32)
    documents = Documents(
        ids=tuple(sorted(str(i) for i in range(n))),
        clusters=random.integers(0, 50, n).astype(np.int32),
        leaves=leaves,
        tree=Dendrogram(np.zeros((999, 4)), np.bincount(leaves)),
    )
    size = len(encode(snapshot_at(), documents).documents)
    print(size / n, "bytes a document")
    assert size / n < 6
