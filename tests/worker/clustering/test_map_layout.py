"""The layout of the map: discs that do not overlap, documents inside them, and places that last."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from snapshot import MapRegion
from tagmodel.partition import cluster_order
from tests.clustered import clustered, documents
from worker.clustering.documents.document_table import all_tag_concepts
from worker.clustering.drawing.map_layout import apart, concept_hues, map_places, map_regions


@pytest.fixture(scope="module")
def version():
    return clustered()


def test_every_concept_has_a_disc_and_hardly_any_overlap(version):
    snapshot, _ = version
    assert len(snapshot.regions) == len(snapshot.clusters)
    for place, one in enumerate(snapshot.regions):
        assert one.radius <= one.x <= 1 - one.radius
        assert one.radius <= one.y <= 1 - one.radius
        for other in snapshot.regions[place + 1 :]:
            assert np.hypot(one.x - other.x, one.y - other.y) > 0.98 * (one.radius + other.radius)


def test_documents_lie_inside_the_discs_of_their_concepts(version):
    snapshot, stored = version
    places = stored.table.places / 65535
    assert places.shape == (len(list(documents())), 2)
    discs = np.array([(each.x, each.y, each.radius) for each in snapshot.regions])[stored.table.concepts]
    far = np.hypot(*(places - discs[:, :2]).T)
    assert (far <= discs[:, 2] + 1e-4).all()
    assert len(np.unique(stored.table.places, axis=0)) > 0.9 * len(places)


def test_concepts_that_last_stay_and_new_ones_lie_beside_their_neighbours(version):
    """Each concept in turn is new: the others hardly move, and it comes to lie beside the one it joins first."""
    snapshot, _ = version
    known = {each.id: region for each, region in zip(snapshot.clusters, snapshot.regions, strict=True)}
    again = map_regions(snapshot.tree, snapshot.partition, snapshot.cluster_documents, known)
    assert again == snapshot.regions
    order, gaps = cluster_order(snapshot.tree, snapshot.partition)
    for new in known:
        others = {each: region for each, region in known.items() if each != new}
        regions = map_regions(snapshot.tree, snapshot.partition, snapshot.cluster_documents, others)
        for place, each in enumerate(snapshot.partition.ids):
            if each != new:
                moved = np.hypot(regions[place].x - known[each].x, regions[place].y - known[each].y)
                assert moved < 0.2
    assert sorted(order) == list(range(len(known)))
    assert len(gaps) == len(order) - 1


def test_a_disc_keeps_its_radius_while_it_is_about_right(version):
    snapshot, _ = version
    known = {each.id: region for each, region in zip(snapshot.clusters, snapshot.regions, strict=True)}
    counts = list(snapshot.cluster_documents)
    counts[0] = round(1.1 * counts[0])
    assert map_regions(snapshot.tree, snapshot.partition, counts, known)[0].radius == snapshot.regions[0].radius
    counts[0] *= 3
    assert map_regions(snapshot.tree, snapshot.partition, counts, known)[0].radius > snapshot.regions[0].radius


def test_a_document_without_a_concept_and_a_corpus_of_one_concept():
    matrix = csr_array(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]))
    places = map_places(
        [b"a", b"b", b"c"],
        matrix,
        ["x", "y"],
        tag_concepts=np.array([0, 1]),
        concepts=np.array([0, 0, 1]),
        regions=[MapRegion(0.5, 0.5, 0.4)],
    )
    assert places[2].tolist() == [0, 0]
    assert (np.hypot(*(places[:2] / 65535 - 0.5).T) <= 0.4).all()


def test_discs_move_apart_and_the_older_one_moves_less():
    centres = np.array([[0.5, 0.5], [0.52, 0.5]])
    moved = apart(centres, np.array([0.1, 0.1]), np.array([0.05, 1.0]))
    assert np.hypot(*(moved[0] - moved[1])) > 0.198
    assert np.hypot(*(moved[0] - centres[0])) < 0.2 * np.hypot(*(moved[1] - centres[1]))


def test_places_follow_a_disc_that_moves(version):
    """Everything else about a document being the same, it moves as its concept does."""
    snapshot, stored = version
    index = stored.table.index
    matrix = csr_array(
        (np.ones(len(index.tags)), index.tags.astype(np.int64), index.document_starts),
        shape=(len(list(documents())), index.tag_count),
    )
    ids = [stored.table.ids.get(each) for each in range(len(list(documents())))]

    def laid(regions):
        return map_places(
            ids,
            matrix,
            [*snapshot.keys, *snapshot.tail.keys],
            tag_concepts=all_tag_concepts(snapshot.partition, snapshot.tail),
            concepts=stored.table.concepts.astype(np.int64),
            regions=regions,
        ).astype(int)

    assert (laid(snapshot.regions) == stored.table.places).all()
    shifted = [replace(each, x=each.x - 0.01) for each in snapshot.regions]
    inside = stored.table.places[:, 0] > 1000
    assert np.allclose((laid(snapshot.regions) - laid(shifted))[inside, 0], 655, atol=2)


def test_concepts_that_last_keep_their_colours(version):
    """The colours of a version are along its tree; the next version takes them over by the ids."""
    snapshot, _ = version
    order, _ = cluster_order(snapshot.tree, snapshot.partition)
    along = [snapshot.hues[place] for place in order]
    assert along == sorted(along)
    assert len(set(along)) == len(snapshot.clusters)
    turned = {each.id: (hue + 100) % 360 for each, hue in zip(snapshot.clusters, snapshot.hues, strict=True)}
    assert concept_hues(snapshot.tree, snapshot.partition, turned) == tuple(turned.values())
    turned.pop(snapshot.clusters[0].id)
    again = concept_hues(snapshot.tree, snapshot.partition, turned)
    assert again[1:] == tuple(turned.values())
