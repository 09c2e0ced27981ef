import json
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import orjson
import pytest

from snapshot import (
    SCHEMA,
    Documents,
    SchemaMismatch,
    SnapshotCorrupt,
    decode,
    decode_document_tree,
    decode_documents,
    encode,
    version_at,
)
from tests.snapshot.snapshots import (
    evident_snapshot,
    grouped_documents,
    small_documents,
    small_encoded,
    small_picture,
    small_placing,
    small_snapshot,
    weighted_snapshot,
)

GOLDEN = Path(__file__).parent / "golden"


def same(one, other):
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if hasattr(one, "__dataclass_fields__"):
        return all(same(getattr(one, each.name), getattr(other, each.name)) for each in fields(one))
    return one == other


def test_what_is_decoded_is_what_was_encoded():
    encoded = small_encoded()
    assert same(decode(encoded.meta, encoded.arrays), small_snapshot())
    encoded = encode(evident_snapshot(), small_documents())
    assert same(decode(encoded.meta, encoded.arrays), evident_snapshot())
    assert same(decode_documents(encoded.meta, encoded.documents), small_documents())


def test_pictures_are_optional_and_kept():
    encoded = small_encoded(picture=small_picture())
    assert same(decode(encoded.meta, encoded.arrays).picture, small_picture())
    plain = small_encoded()
    assert decode(plain.meta, plain.arrays).picture is None


def test_the_same_snapshot_gives_the_same_bytes():
    assert small_encoded() == small_encoded()


def test_versions_sort_by_time():
    moments = [datetime(2026, 1, 2, 3, 4, 5, ms * 1000, tzinfo=UTC) for ms in (0, 9, 10, 999)]
    moments += [datetime(2026, 1, 2, 3, 4, 6, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)]
    versions = [version_at(moment) for moment in moments]
    assert versions == sorted(versions)
    assert len(set(versions)) == len(versions)


@pytest.mark.parametrize("position", [0.0, 0.3, 0.99])
def test_a_flipped_bit_in_the_arrays_is_noticed(position):
    encoded = small_encoded()
    damaged = bytearray(encoded.arrays)
    damaged[int(position * len(damaged))] ^= 1
    with pytest.raises(SnapshotCorrupt, match="checksum"):
        decode(encoded.meta, bytes(damaged))


def test_changed_meta_is_noticed():
    encoded = small_encoded()
    with pytest.raises(SnapshotCorrupt, match="checksum"):
        decode(encoded.meta.replace(b'"documents":20', b'"documents":21'), encoded.arrays)


@pytest.mark.parametrize("meta", [b"", b"nonsense", b"[]", b'{"schema":"1"}'])
def test_meta_that_is_no_meta_is_refused(meta):
    with pytest.raises(SnapshotCorrupt):
        decode(meta, b"")


def test_a_newer_schema_is_refused_as_such():
    head = orjson.loads(small_encoded().meta)
    head["schema"] = SCHEMA + 1
    with pytest.raises(SchemaMismatch, match=f"schema {SCHEMA + 1}"):
        decode(orjson.dumps(head), b"")


def test_arrays_of_objects_cannot_be_written():
    with pytest.raises(ValueError, match="pickle"):
        encode(small_snapshot(counts=np.array([object()] * 6)), small_documents())


def test_other_programs_can_read_the_maps_and_the_dendrogram():
    encoded = small_encoded()
    assert encoded.tags["credit card"] == "0"
    assert json.loads(encoded.clusters["0"]) == {
        "id": 0,
        "label": ["payment", "cash"],
        "size": 3,
        "tags": ["payment", "cash", "credit card"],
    }
    tree = json.loads(encoded.dendrogram)
    assert tree["leaves"][3] == "Rain"
    assert tree["merges"][-1] == [9, 7, 0.9, 6]


@pytest.mark.parametrize("schema", range(1, SCHEMA + 1))
def test_snapshots_of_every_schema_so_far_can_be_read(schema):
    folder = GOLDEN / f"schema-{schema}"
    snapshot = decode((folder / "meta.json").read_bytes(), (folder / "arrays.npz").read_bytes())
    documents = decode_documents((folder / "meta.json").read_bytes(), (folder / "documents.npz").read_bytes())
    assert same(snapshot, small_snapshot())
    assert same(documents, small_documents())


def test_snapshots_with_pictures_can_be_read():
    folder = GOLDEN / "schema-1-picture"
    snapshot = decode((folder / "meta.json").read_bytes(), (folder / "arrays.npz").read_bytes())
    assert same(snapshot, small_snapshot(picture=small_picture()))


def test_placing_and_micro_clusters_are_decoded_as_they_were_encoded():
    encoded = encode(small_snapshot(placing=small_placing()), grouped_documents())
    assert same(decode(encoded.meta, encoded.arrays), small_snapshot(placing=small_placing()))
    assert same(decode_documents(encoded.meta, encoded.documents), grouped_documents())


def test_the_tree_of_documents_is_read_without_the_documents():
    """Its leaves carry the name of their first document and the number of their documents."""
    encoded = encode(small_snapshot(), grouped_documents())
    tree = decode_document_tree(encoded.meta, encoded.documents)
    assert tree.names == ("d0", "d1", "d2", "d3")
    assert tree.sizes.tolist() == [5, 5, 5, 5]
    np.testing.assert_array_equal(tree.linkage, grouped_documents().linkage)
    plain = small_encoded()
    alone = decode_document_tree(plain.meta, plain.documents)
    assert (alone.names, alone.sizes.tolist()) == (small_documents().ids, [1] * 20)


def test_a_snapshot_with_placing_and_micro_clusters_can_be_read():
    folder = GOLDEN / "schema-1-placing"
    meta = (folder / "meta.json").read_bytes()
    assert same(decode(meta, (folder / "arrays.npz").read_bytes()), small_snapshot(placing=small_placing()))
    assert same(decode_documents(meta, (folder / "documents.npz").read_bytes()), grouped_documents())


def test_a_document_takes_a_few_bytes():
    """Ids as a database counts them, a thousand micro-clusters, fifty clusters."""
    random = np.random.default_rng(0)
    n = 100_000
    documents = Documents(
        ids=tuple(sorted(str(i) for i in range(n))),
        clusters=random.integers(0, 50, n).astype(np.int32),
        linkage=np.zeros((999, 4)),
        leaves=np.concatenate([np.arange(1000), random.integers(0, 1000, n - 1000)]).astype(np.int32),
    )
    size = len(encode(small_snapshot(), documents).documents)
    print(size / n, "bytes a document")
    assert size / n < 6


def test_snapshots_with_weights_for_tags_alone_and_together_can_be_read():
    """The first writing of schema 1 had transition probabilities; this is the second."""
    folder = GOLDEN / "schema-1-weights"
    snapshot = decode((folder / "meta.json").read_bytes(), (folder / "arrays.npz").read_bytes())
    assert same(snapshot, weighted_snapshot())


def test_snapshots_with_evidence_can_be_read():
    """The third writing of schema 1."""
    folder = GOLDEN / "schema-1-evidence"
    snapshot = decode((folder / "meta.json").read_bytes(), (folder / "arrays.npz").read_bytes())
    assert same(snapshot, evident_snapshot())
