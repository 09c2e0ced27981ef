"""Corpora clustered by micro-clusters are ordinary corpora: served, inherited from, and their documents placed."""

from collections import Counter

import numpy as np
import pytest

from snapshot import encode
from tests.worker.clustering.test_continuity import clustered, clusters, planted, sample
from tests.worker.gathering import gather

LARGE = {"max_exact": 100, "micro_clusters": 60}
pytestmark = pytest.mark.slow


def topics(count=6, documents=150, seed=0):
    return [document for topic in range(count) for document in planted(topic, documents, seed=seed)]


def test_the_snapshot_says_by_which_plan_it_was_made():
    exact, large = clustered(topics()), clustered(topics(), **LARGE)
    assert exact.snapshot.parameters["plan"]["name"] == "exact"
    plan = large.snapshot.parameters["plan"]
    assert plan["name"] == "micro"
    assert 50 < plan["micro_clusters"] <= 60
    assert "max_exact=100" in plan["reason"]
    assert 0.5 < plan["information_kept"] < 1
    assert large.snapshot.parameters["micro_clusters"] == 60
    assert large.snapshot.quality["document_v_measure"] > 0.9
    assert 0 < large.snapshot.quality["information_kept"] < plan["information_kept"]


def test_every_document_has_a_cluster_and_its_micro_cluster():
    large = clustered(topics(), **LARGE)
    assert len(large.documents.ids) == len(large.documents.clusters) == len(large.documents.leaves) == 900
    groups = large.snapshot.parameters["plan"]["micro_clusters"]
    assert large.documents.tree.leaves == large.documents.leaves.max() + 1 == groups
    assert large.snapshot.document_curve.k[-1] == groups


@pytest.mark.parametrize("declared", [{}, LARGE])
def test_a_document_of_the_run_is_placed_by_its_tags_where_the_run_has_it(declared):
    documents = topics()
    version = clustered(documents, **declared)
    index = {key: place for place, key in enumerate(version.snapshot.keys)}
    place_of = dict(zip(version.documents.ids, version.documents.clusters.tolist(), strict=True))
    for document in documents:
        tags = np.array(sorted(index[tag] for tag in document.tags if tag in index))
        assigned = version.snapshot.classifier.classify(np.array([0, len(tags)]), tags)
        assert assigned.clusters[0] == place_of[document.id]


def test_document_clusters_are_labelled_and_counted():
    version = clustered(topics())
    sizes = Counter(version.documents.clusters.tolist())
    for cluster in version.snapshot.classifier.clusters:
        assert cluster.size == sizes[cluster.id]
        topics_of_label = {tag[:2] for tag in cluster.label if not tag.startswith("common")}
        assert len(topics_of_label) == 1, cluster


def test_a_new_document_and_a_new_tag_go_to_their_topic():
    version = clustered(topics())
    classifier, keys = version.snapshot.classifier, version.snapshot.keys
    cluster_of = clusters(version)
    for topic in range(6):
        tags = np.array(sorted(keys.index(f"t{topic}w{word}") for word in (0, 4, 7)))
        likely = classifier.probabilities(np.array([0, 3]), tags)[0]
        assert classifier.clusters[int(likely.argmax())].label[0].startswith(f"t{topic}")
        position, _ = classifier.tag_cluster(likely)
        assert version.snapshot.clusters[position].id in {cluster_of[keys[tag]] for tag in tags.tolist()}


def test_confidence_is_how_often_a_document_stays_when_more_tags_become_known():
    documents = sample("tabler_icons", 3000)
    version = clustered(documents)
    classifier = version.snapshot.classifier
    corpus = gather(documents)
    place = {key: tag for tag, key in enumerate(version.snapshot.keys)}
    columns = np.array([place.get(key, -1) for key in corpus.keys])
    random = np.random.default_rng(5)
    sure, stays = [], []
    for row in range(0, len(corpus.ids), 3):
        tags = columns[corpus.matrix.indices[corpus.matrix.indptr[row] : corpus.matrix.indptr[row + 1]]]
        tags = np.sort(tags[tags >= 0])
        if len(tags) < 4:
            continue
        half = np.sort(random.choice(tags, len(tags) // 2, replace=False))
        known = classifier.classify(np.array([0, len(half)]), half)
        sure.append(float(known.confidence[0]))
        stays.append(known.clusters[0] == classifier.classify(np.array([0, len(tags)]), tags).clusters[0])
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
    inheriting = clustered(documents, before, **options)
    free = clustered(documents, before, inertia=0.0, **options)
    assert inheriting.snapshot.parameters["plan"]["name"] == "micro"
    print("moved", inheriting.snapshot.lineage.moved, "without inheriting", free.snapshot.lineage.moved)
    assert inheriting.snapshot.lineage.moved < 0.1
    assert inheriting.snapshot.lineage.moved < free.snapshot.lineage.moved / 2


def test_a_corpus_that_grows_past_the_exact_size_goes_on_from_its_last_version():
    before = clustered(topics(documents=100), max_exact=650, micro_clusters=60)
    after = clustered(topics(documents=150), before, max_exact=650, micro_clusters=60)
    assert [each.snapshot.parameters["plan"]["name"] for each in (before, after)] == ["exact", "micro"]
    assert after.snapshot.lineage.moved < 0.1


def test_the_same_documents_give_the_same_bytes():
    one, other = (encode(*vars(clustered(topics(), **LARGE)).values()) for _ in range(2))
    assert (one.arrays, one.documents) == (other.arrays, other.documents)
