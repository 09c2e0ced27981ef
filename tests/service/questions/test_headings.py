"""No computed heading is foreign: groups in clouds, in the tree and on the first page show what names them."""

import re

import pytest

from service.pages.explore.branches import drawn_tree
from service.questions.clouds.cloud import cloud
from service.questions.clouds.overview import overview
from service.questions.clusters.clusters import clusters
from service.questions.clusters.dendrogram import of_tags
from service.questions.text.query import NOTHING, exact_tags
from service.view.view import View
from tests.clustered import NOON, snapshot_at
from tests.needs import CORPORA, corpus_file
from worker.clustering.cluster import cluster, load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus

ASKED = 200
SAMPLE = "whatscooking"
NAMES = [path.name.removesuffix(".jsonl.gz") for path in sorted(CORPORA.glob("*.jsonl.gz"))]


def is_foreign(label, tags):
    """Whether a label consists of anything but some of these tags."""
    one = "|".join(map(re.escape, tags))
    return not re.fullmatch(rf"({one})(, ({one})){{0,2}}", label)


def foreign_headings(view):
    """The foreign headings of clouds, of the first page, of concepts, of groups at several k and of the tree."""
    names = view.snapshot.names
    asked = [NOTHING, *(exact_tags(view, [names[tag]]) for tag in view.by_count[:ASKED])]
    shown = [
        (group["label"], [tag["tag"] for tag in group["tags"]])
        for groups in (
            *(
                cloud(view, query, limit=60, groups=9, specificity=0.5, by=by).groups
                for query in asked
                for by in ("query", "clusters")
            ),
            *(overview(view, 80, groups).groups for groups in (9, 12, 24)),
        )
        for group in groups
    ]
    for k in (None, 1, 2, 8, 30, len(names) // 2, len(names)):
        shown += [(each.label, each.tags) for each in clusters(view, k, limit=None, offset=0).clusters]
    tree = view.tree
    top = of_tags(view, 30)
    shown += [
        (leaf.label, [names[tag] for tag in tree.items_of(span)])
        for leaf, span in zip(top.leaves, top.branches.spans, strict=True)
    ]
    shown += [
        (leaf.label, [names[tag] for tag in tree.items_of(tree.span(leaf.node))])
        for leaf in drawn_tree(view, 18, (), 12).leaves
    ]
    assert len(shown) > ASKED / 10
    return [(label, tags) for label, tags in shown if is_foreign(label, tags)]


def test_a_heading_is_foreign_if_it_names_what_is_not_shown():
    assert is_foreign("close, times", ["shape", "close"])
    assert is_foreign("a, b, c, d", ["a", "b", "c", "d"])
    assert not is_foreign("a, b, c", ["a, b", "c"])


def test_no_heading_of_the_small_corpus_is_foreign():
    assert foreign_headings(View(snapshot_at())) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["whatscooking", *(pytest.param(each, marks=pytest.mark.nightly) for each in NAMES if each != "whatscooking")],
)
def test_no_heading_of_any_corpus_is_foreign(name):
    path = corpus_file(name)
    corpus = Corpus(name=name, source=str(path), path=path, sample=1500)
    stages = Stages(lambda *_: None)
    tagged, notes = load_documents(corpus, stages)
    snapshot, _ = cluster(corpus, tagged, NOON, stages, notes=notes)
    assert foreign_headings(View(snapshot)) == []
