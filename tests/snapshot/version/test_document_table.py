"""The file of documents: the same table comes out, damage is noticed, and an id is found by bisection."""

import io
import mmap
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapshot import SnapshotCorrupt, Texts, has_checksums, index_checksums, table_in
from snapshot.version.documents.document_table import ALIGNED, CHUNK, array_paths, decode_chunk, encode_table
from snapshot.version.encoding.fields import attribute
from tests.clustered import clustered, published

STORED_CHUNK = 8_000_000


def file_of(table):
    chunks, digests = encode_table(table)
    pairs = zip(chunks, digests, strict=True)
    return b"".join(decode_chunk(chunk, digest, "") for chunk, digest in pairs), digests


def test_what_is_mapped_is_what_was_encoded(tmp_path):
    table = clustered()[1].table
    content, digests = file_of(table)
    (tmp_path / "file").write_bytes(content)
    with (tmp_path / "file").open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    assert has_checksums(io.BytesIO(content), digests)
    again = table_in(mapped)
    for path in array_paths():
        one, other = attribute(again, path), attribute(table, path)
        assert one.dtype == other.dtype, path
        np.testing.assert_array_equal(one, other, path)
        assert one.ctypes.data % ALIGNED == 0 or one.size == 0
        assert not one.flags.writeable
        assert not one.flags.owndata


def test_the_meta_has_the_checksums_of_the_chunks():
    encoded = published()
    digests = index_checksums(encoded.meta)
    assert len(digests) == len(encoded.index) == 1
    decode_chunk(encoded.index[0], digests[0], "")


def test_a_large_file_is_stored_in_chunks_of_less_than_8_mb():
    """Of random bytes, which cannot be compressed."""
    table = clustered()[1].table
    noise = np.random.default_rng(0).integers(0, 256, 2 * CHUNK + 5).astype(np.uint8)
    large = type(table)(**{**vars(table), "cards": Texts(noise, np.array([0, len(noise)], np.uint32))})
    chunks, digests = encode_table(large)
    assert len(chunks) == len(digests) == 3
    assert max(map(len, chunks)) < STORED_CHUNK
    content, _ = file_of(large)
    np.testing.assert_array_equal(table_in(content).cards.text, noise)


@pytest.mark.parametrize("position", [0.0, 0.5, 0.999])
def test_a_flipped_bit_is_noticed_in_the_chunk_and_in_the_file(position):
    chunks, digests = encode_table(clustered()[1].table)
    damaged = bytearray(chunks[0])
    damaged[int(position * len(damaged))] ^= 1
    with pytest.raises(SnapshotCorrupt):
        decode_chunk(bytes(damaged), digests[0], "chunk 0")
    content = bytearray(decode_chunk(chunks[0], digests[0], ""))
    content[int(position * len(content))] ^= 1
    assert not has_checksums(io.BytesIO(content), digests)


def test_a_chunk_of_another_length_is_refused():
    chunk, digest = (each[0] for each in encode_table(clustered()[1].table))
    with pytest.raises(SnapshotCorrupt, match="chunk 0: the checksum does not match"):
        decode_chunk(zlib.compress(bytes(10 * CHUNK)), digest, "chunk 0")
    with pytest.raises(SnapshotCorrupt, match="chunk 0"):
        decode_chunk(chunk[:-20], digest, "chunk 0")
    content, digests = file_of(clustered()[1].table)
    assert not has_checksums(io.BytesIO(content[:-1]), digests)
    assert not has_checksums(io.BytesIO(content), (*digests, digests[0]))
    assert not has_checksums(io.BytesIO(content + b"\0"), digests)


@pytest.mark.parametrize("content", [b"", b"cotagdoc", b"cotagdoc" + b"\xff" * 100, b"something else" * 50])
def test_what_is_no_such_file_is_refused(content):
    with pytest.raises(SnapshotCorrupt):
        table_in(content)


IDS = st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=6), unique=True, max_size=40)


@given(IDS, st.text(st.characters(codec="utf-8"), max_size=6))
def test_an_id_is_found_whatever_its_letters(ids, other):
    """Python sorts texts as their UTF-8 sorts."""
    ordered = sorted(ids)
    texts = Texts.of(each.encode() for each in ordered)
    assert [texts.find(each.encode()) for each in ordered] == list(range(len(ordered)))
    assert (texts.find(other.encode()) is None) == (other not in ids)
    assert [texts.get(place).decode() for place in range(len(texts))] == ordered


def test_no_texts_at_all_take_no_memory():
    none = Texts.none()
    assert (len(none), none.get(7), none.find(b"a")) == (0, b"", None)
    assert none.text.nbytes + none.starts.nbytes == 0
