"""Runs that inherit: they hold still when little changes, and do not hold back what is new.  math.md (12)"""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from tests.needs import corpus_file
from tests.worker.gathering import gather
from tests.worker.writing import corpus_of
from worker.clustering.cluster import cluster
from worker.clustering.continuity.inheritance import FINER, PreviousVersion, inheritance, levels
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus
from worker.corpora.reader import read_documents
from worker.sources.document import Document, Tally

WORDS = 10
pytestmark = pytest.mark.slow


def clustered(documents, previous=None, *, fresh=False, **declared):
    corpus = Corpus(name="growing", source="-", path=Path("-"), **declared)
    now = datetime(2026, 1, 1, tzinfo=UTC) + (timedelta(days=1) if previous else timedelta())
    stages = Stages(lambda *_: None)
    return PreviousVersion(*cluster(corpus, gather(documents), now, stages, previous=previous, fresh=fresh, notes={}))


def sample(name, count, seed=0):
    every = list(read_documents(corpus_of(corpus_file(name)), Tally()))
    return [every[place] for place in np.random.default_rng(seed).permutation(len(every))[:count]]


def planted(topic, count, *, share=0.2, seed=0):
    """Documents of six tags: mostly of their own topic, the rest of words that every topic uses."""
    random = np.random.default_rng([seed, topic])
    for number in range(count):
        own = random.choice(WORDS, size=5, replace=False)
        tags = [f"t{topic}w{word}" if random.random() >= share else f"common{word}" for word in own]
        yield Document(f"{topic}-{number}", tuple(dict.fromkeys(tags)), str(topic))


def own_tags(documents, label, keys):
    """Tags of which two thirds of the documents or more have the label."""
    every, mine = dict.fromkeys(keys, 0), dict.fromkeys(keys, 0)
    for document in documents:
        for tag in {tag.casefold() for tag in document.tags} & every.keys():
            every[tag] += 1
            mine[tag] += document.label == label
    return {tag for tag in keys if mine[tag] >= 2 / 3 * every[tag]}


def clusters(version):
    return dict(zip(version.snapshot.keys, version.snapshot.partition.item_ids.tolist(), strict=True))


def share_in_new(before, after, tags):
    """Share of the tags that are in clusters with an id the version before did not have."""
    known, now = set(clusters(before).values()), clusters(after)
    return np.mean([now[tag] not in known for tag in tags])


def test_a_twentieth_more_documents_of_the_same_kind_leave_every_id_in_place():
    documents = [document for topic in range(8) for document in planted(topic, 42)]
    later = [document for document in documents if int(document.id.split("-")[1]) >= 40]
    first = clustered([document for document in documents if document not in later])
    second = clustered([*documents], previous=first)
    assert second.snapshot.lineage.moved <= 0.1
    assert len(second.snapshot.clusters) == len(first.snapshot.clusters)


def test_a_new_topic_that_shares_words_with_the_old_gets_clusters_of_its_own():
    old = [document for topic in range(8) for document in planted(topic, 40)]
    new = list(planted(8, 40))
    first = clustered(old)
    second = clustered([*old, *new], previous=first)
    own = own_tags([*old, *new], "8", second.snapshot.keys)
    assert len(own) == WORDS
    assert share_in_new(first, second, own) == 1.0
    before, after = clusters(first), clusters(second)
    assert np.mean([before[key] != after[key] for key in before]) <= 0.1, "and the others stay"


def halves(count):
    """Documents that use either the first or the last five words of topic 0, which were used together before."""
    random = np.random.default_rng(3)
    for number in range(count):
        words = random.choice(5, 4, replace=False) + 5 * (number % 2)
        yield Document(f"h{number}", tuple(f"t0w{word}" for word in words))


def is_split(version):
    now = clusters(version)
    low, high = ({now[f"t0w{word}"] for word in range(5 * half, 5 * half + 5)} for half in (0, 1))
    kinds = {version.snapshot.lineage.clusters[cluster].kind for cluster in low | high}
    return low.isdisjoint(high) and kinds == {"split"}


def test_a_topic_that_falls_apart_is_split_although_the_run_before_had_it_whole():
    whole = [document for topic in range(6) for document in planted(topic, 40)]
    assert is_split(clustered([*whole, *halves(960)], previous=clustered(whole)))


def test_a_split_that_inertia_still_holds_back_is_found_by_a_fresh_start():
    whole = [document for topic in range(6) for document in planted(topic, 40)]
    first, grown = clustered(whole), [*whole, *halves(480)]
    assert is_split(clustered(grown, previous=first, inertia=0.0))
    assert not is_split(clustered(grown, previous=first)), "if so now: docs/explanation/continuity.md"
    assert is_split(clustered(grown, previous=first, fresh=True))


@pytest.mark.parametrize(
    ("name", "count", "label"),
    [pytest.param("tabler_icons", 2500, "Vehicles", marks=pytest.mark.nightly), ("whatscooking", 1200, "indian")],
)
def test_a_label_that_was_held_out_gets_clusters_of_its_own(name, count, label):
    documents = sample(name, count)
    first = clustered([document for document in documents if document.label != label])
    second = clustered(documents, previous=first)
    own = own_tags(documents, label, second.snapshot.keys)
    assert len(own) >= 3
    assert share_in_new(first, second, own) > 0.5


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "count"), [("tabler_icons", 1500), ("whatscooking", 1500)])
def test_a_twentieth_more_documents_move_at_most_a_tenth_of_the_tags(name, count):
    documents = sample(name, count)
    first = clustered(documents[: round(count / 1.05)])
    second = clustered(documents, previous=first)
    paper = clustered(documents, previous=first, inertia=0.0)
    assert second.snapshot.lineage.moved <= 0.1
    assert second.snapshot.lineage.moved < paper.snapshot.lineage.moved
    assert second.snapshot.quality["document_v_measure"] > paper.snapshot.quality["document_v_measure"] - 0.03


def test_tags_are_remembered_where_they_were_cut_and_documents_finer():
    documents = [document for topic in range(8) for document in planted(topic, 40)]
    first = clustered(documents)
    inherited = inheritance(first, first.documents.ids, first.snapshot.keys)
    rows = len(first.snapshot.classifier.clusters)
    assert levels(rows, len(first.snapshot.clusters)) == [(FINER * rows, len(first.snapshot.clusters))]
    (remembered,) = inherited.columns
    pairs = set(zip(np.asarray(remembered).tolist(), first.snapshot.partition.item_ids.tolist(), strict=True))
    assert len(pairs) == len(first.snapshot.clusters)
    assert len(np.unique(inherited.rows[0])) == min(FINER * rows, len(first.documents.ids))
