"""Corpora clustered by micro-clusters are ordinary corpora: served, inherited from, and their documents placed."""

from collections import Counter

import numpy as np
import pytest

from snapshot import encode, nearest
from snapshot.placing import posteriors
from tests.worker.test_continuity import clustered, clusters, planted, sample
from worker.corpus import gather

LARGE = {"max_exact": 100, "micro_clusters": 60}
pytestmark = pytest.mark.slow


def topics(count=6, documents=150, seed=0):
    return [document for topic in range(count) for document in planted(topic, documents, seed=seed)]


def test_the_snapshot_says_which_way_it_was_made():
    exact, large = clustered(topics()), clustered(topics(), **LARGE)
    assert exact.snapshot.parameters["way"]["name"] == "exact"
    way = large.snapshot.parameters["way"]
    assert way["name"] == "micro"
    assert 50 < way["micro_clusters"] <= 60
    assert "max_exact=100" in way["reason"]
    assert 0.5 < way["information_kept"] < 1
    assert large.snapshot.parameters["micro_clusters"] == 60
    assert large.snapshot.quality["document_v_measure"] > 0.9
    assert 0 < large.snapshot.quality["information_kept"] < way["information_kept"]


def test_every_document_has_a_cluster_and_its_micro_cluster():
    large = clustered(topics(), **LARGE)
    assert len(large.documents.ids) == len(large.documents.clusters) == len(large.documents.leaves) == 900
    groups = large.snapshot.parameters["way"]["micro_clusters"]
    assert len(large.documents.linkage) + 1 == large.documents.leaves.max() + 1 == groups
    assert large.snapshot.document_curve.k[-1] == groups


@pytest.mark.parametrize("declared", [{}, LARGE])
def test_a_document_of_the_run_is_placed_by_its_tags_where_the_run_has_it(declared):
    documents = topics()
    made = clustered(documents, **declared)
    index = {key: place for place, key in enumerate(made.snapshot.keys)}
    place_of = dict(zip(made.documents.ids, made.documents.clusters.tolist(), strict=True))
    for document in documents:
        tags = np.array(sorted(index[tag] for tag in document.tags if tag in index))
        found = nearest(np.array([0, len(tags)]), tags, made.snapshot.placing)
        assert found.clusters[0] == place_of[document.id]


def test_document_clusters_are_labelled_and_counted():
    made = clustered(topics())
    sizes = Counter(made.documents.clusters.tolist())
    for cluster in made.snapshot.placing.clusters:
        assert cluster.size == sizes[cluster.id]
        topics_of_label = {tag[:2] for tag in cluster.label if not tag.startswith("common")}
        assert len(topics_of_label) == 1, cluster


def test_a_new_document_and_a_new_tag_go_to_their_topic():
    made = clustered(topics())
    placing, keys = made.snapshot.placing, made.snapshot.keys
    cluster_of = clusters(made)
    from snapshot.placing import tag_cluster_of

    for topic in range(6):
        tags = np.array(sorted(keys.index(f"t{topic}w{word}") for word in (0, 4, 7)))
        likely = posteriors(np.array([0, 3]), tags, placing)[0]
        assert placing.clusters[int(likely.argmax())].label[0].startswith(f"t{topic}")
        place, _ = tag_cluster_of(likely, placing)
        assert made.snapshot.clusters[place].id in {cluster_of[keys[tag]] for tag in tags.tolist()}


def test_confidence_is_how_often_a_document_stays_when_more_tags_become_known():
    documents = sample("tabler_icons", 3000)
    made = clustered(documents)
    corpus = gather(documents)
    place = {key: tag for tag, key in enumerate(made.snapshot.keys)}
    columns = np.array([place.get(key, -1) for key in corpus.keys])
    random = np.random.default_rng(5)
    sure, stays = [], []
    for row in range(0, len(corpus.ids), 3):
        tags = columns[corpus.matrix.indices[corpus.matrix.indptr[row] : corpus.matrix.indptr[row + 1]]]
        tags = np.sort(tags[tags >= 0])
        if len(tags) < 4:
            continue
        half = np.sort(random.choice(tags, len(tags) // 2, replace=False))
        known = nearest(np.array([0, len(half)]), half, made.snapshot.placing)
        sure.append(float(known.confidence[0]))
        stays.append(known.clusters[0] == nearest(np.array([0, len(tags)]), tags, made.snapshot.placing).clusters[0])
    sure, stays = np.array(sure), np.array(stays)
    print("mean confidence", sure.mean(), "stay", stays.mean(), "of", len(sure))
    assert abs(sure.mean() - stays.mean()) < 0.1
    assert stays[sure > np.median(sure)].mean() > stays[sure <= np.median(sure)].mean() + 0.05


@pytest.mark.nightly
def test_a_large_run_inherits_from_a_large_run():
    """Tags hold still while documents arrive, and the document tree is that of micro-clusters."""
    documents = sample("whatscooking", 2400)
    options = {"max_exact": 500, "micro_clusters": 200}
    before = clustered(documents[:2280], **options)
    held = clustered(documents, before, **options)
    free = clustered(documents, before, inertia=0.0, **options)
    assert held.snapshot.parameters["way"]["name"] == "micro"
    print("moved", held.snapshot.lineage["moved"], "without inheriting", free.snapshot.lineage["moved"])
    assert held.snapshot.lineage["moved"] < 0.1
    assert held.snapshot.lineage["moved"] < free.snapshot.lineage["moved"] / 2


def test_a_corpus_that_grows_past_the_exact_size_goes_on_from_its_last_version():
    before = clustered(topics(documents=100), max_exact=650, micro_clusters=60)
    after = clustered(topics(documents=150), before, max_exact=650, micro_clusters=60)
    assert [each.snapshot.parameters["way"]["name"] for each in (before, after)] == ["exact", "micro"]
    assert after.snapshot.lineage["moved"] < 0.1


def test_the_same_documents_give_the_same_bytes():
    one, other = (encode(*vars(clustered(topics(), **LARGE)).values()) for _ in range(2))
    assert (one.arrays, one.documents) == (other.arrays, other.documents)
