"""Documents as a matrix: spellings, repeated ids, pairs, the fingerprint."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from snapshot import normalise
from tests.worker.gathering import gather
from worker.sources.document import Document

TAGS = st.lists(st.sampled_from(["a", "A", " a", "b", "B b", "b  B", "ß", "SS", "", "é", "é"]), max_size=6)
DOCUMENTS = st.lists(
    st.builds(Document, st.sampled_from("123456"), TAGS.map(tuple), st.none() | st.sampled_from("xy")), max_size=12
)


def test_spellings_of_a_tag_are_one_and_the_commonest_is_shown():
    documents = [Document("1", ("Jazz", "jazz ", "")), Document("2", ("JAZZ",)), Document("3", ("JAZZ", "Blues"))]
    corpus = gather(documents)
    assert corpus.keys == ("blues", "jazz")
    assert corpus.names == ("Blues", "JAZZ")
    assert corpus.matrix.toarray().tolist() == [[0, 1], [0, 1], [1, 1]]


def test_of_equally_common_spellings_the_first_seen_is_shown():
    assert gather([Document("2", ("b B",)), Document("1", ("B b",))]).names == ("b B",)


def test_the_last_document_of_an_id_replaces_the_others_with_all_that_they_had():
    corpus = gather([Document("1", ("X", "y"), "old"), Document("2", ("x",)), Document("1", ("z",))])
    assert corpus.ids == ("1", "2")
    assert corpus.labels == (None, None)
    assert corpus.keys == ("x", "z")
    assert corpus.names == ("x", "z")
    assert corpus.matrix.toarray().tolist() == [[0, 1], [1, 0]]
    assert corpus.replaced == 1


def test_pairs_of_one_document_need_not_be_adjacent():
    pairs = [
        Document("1", ("x",)),
        Document("2", ("y",)),
        Document("1", ("y",), "l"),
        Document("1", ("X",)),
        Document("3", ()),
    ]
    corpus = gather(pairs, pairs=True)
    assert corpus.ids == ("1", "2", "3")
    assert corpus.labels == ("l", None, None)
    assert corpus.matrix.toarray().tolist() == [[1, 1], [0, 1], [0, 0]]
    assert corpus.replaced == 0


def test_the_fingerprint_follows_the_content_not_the_spelling():
    one = gather([Document("1", ("a", "b"))]).fingerprint
    assert gather([Document("1", ("B", "A"))]).fingerprint == one
    assert gather([Document("1", ("a",))]).fingerprint != one
    assert gather([Document("2", ("a", "b"))]).fingerprint != one
    assert gather([Document("1", ("a", "b"), "l")]).fingerprint != one
    assert gather([Document("1", ("a b",))]).fingerprint != one


def test_nothing_gives_an_empty_corpus():
    corpus = gather([])
    assert (corpus.ids, corpus.keys, corpus.matrix.shape) == ((), (), (0, 0))


@given(DOCUMENTS, st.randoms(use_true_random=False))
def test_the_order_of_documents_decides_nothing(documents, random):
    unique = list({document.id: document for document in documents}.values())
    shuffled = list(unique)
    random.shuffle(shuffled)
    one, other = gather(unique), gather(shuffled)
    assert (one.ids, one.keys, one.labels, one.fingerprint) == (other.ids, other.keys, other.labels, other.fingerprint)
    assert np.array_equal(one.matrix.toarray(), other.matrix.toarray())


@given(DOCUMENTS)
def test_the_matrix_is_what_the_documents_say(documents):
    corpus = gather(documents)
    last = {document.id: {normalise(tag) for tag in document.tags} - {""} for document in documents}
    by_id = {
        name: {corpus.keys[column] for column in np.flatnonzero(row)}
        for name, row in zip(corpus.ids, corpus.matrix.toarray(), strict=True)
    }
    assert by_id == last
    assert corpus.keys == tuple(sorted(set().union(*last.values())))
    assert all(normalise(name) == key for name, key in zip(corpus.names, corpus.keys, strict=True))
    assert corpus.replaced == len(documents) - len(last)
