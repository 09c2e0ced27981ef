"""The page of the tree, and the curve, table and picture behind it."""

import csv
import io
import re
import struct
import zlib
from dataclasses import replace

import numpy as np
import pytest

from service.pages.explore.branches import OPENED_INTO, drawn_tree
from service.pages.explore.cuts import cut_height, cuts, nearest
from service.pages.explore.explore import ExploreParams, explore
from service.view.view import View
from tagmodel import Dendrogram, Partition
from tests.clustered import TAGS, counts, snapshot_at
from tests.service.api.test_api import get


def random_view(view, tags=400, seed=0):
    """A view of many tags in a random tree with rising heights."""
    random = np.random.default_rng(seed)
    ends, linkage = dict.fromkeys(range(tags), 1), []
    for step in range(tags - 1):
        a, b = sorted(random.choice(sorted(ends), 2, replace=False).tolist())
        ends[tags + step] = ends.pop(a) + ends.pop(b)
        linkage.append([a, b, (step + 1) ** 2 / 1000, ends[tags + step]])
    names = tuple(f"tag{tag}" for tag in range(tags))
    k = np.arange(1, tags + 1, dtype=np.int32)
    curve = replace(view.snapshot.tag_curve, k=k, entropy=1 / k, information=k / tags, criterion=np.sqrt(k) / (1 + k))
    empty = replace(
        view.snapshot.related,
        starts=np.zeros(tags + 1, np.int32),
        indices=np.zeros(0, np.int32),
        alone=np.zeros(0, np.float32),
        together=np.zeros(0, np.float32),
        evidence=np.zeros(0, np.float32),
        prior=np.zeros(tags, np.float32),
    )
    return View(
        replace(
            view.snapshot,
            names=names,
            keys=names,
            counts=random.integers(5, 100, tags).astype(np.int32),
            breadth=np.zeros(tags, np.float32),
            broad=np.zeros(tags, np.bool_),
            partition=Partition.from_ids(np.arange(tags) % 3),
            tree=Dendrogram(np.array(linkage)),
            related=empty,
            tag_curve=curve,
        )
    )


def test_the_tree_is_drawn_with_so_many_leaves_that_hold_every_tag(view):
    many = random_view(view)
    found = drawn_tree(many, 18, (), 7)
    assert len(found.leaves) == 18
    assert len(found.branches.merges) == 17
    assert sum(leaf.size for leaf in found.leaves) == 400
    assert all(leaf.label.count(",") == 2 for leaf in found.leaves if leaf.size >= 3)


def test_groups_of_the_drawing_are_those_of_the_cut(view):
    """Each leaf's group and each line's colour agree with the tree cut into exactly k, for every k."""
    many = random_view(view)
    for k in (1, 2, 5, 17, 18, 30, 200, 400):
        labels = many.tree.cut(k)
        found = drawn_tree(many, 18, (), k)
        seen = {}
        for leaf in found.leaves:
            start, stop = many.tree.span(leaf.node)
            inside = set(labels[many.tree.order[start:stop]].tolist())
            assert leaf.groups == len(inside)
            if len(inside) == 1:
                assert seen.setdefault(inside.pop(), leaf.group) == leaf.group
        if k <= 18:
            assert len({leaf.group for leaf in found.leaves}) == k


def test_opening_a_branch_shows_its_highest_merges_and_closing_undoes_it(view):
    many = random_view(view)
    plain = drawn_tree(many, 18, (), 5)
    big = max(plain.leaves, key=lambda leaf: leaf.size)
    opened = drawn_tree(many, 18, (big.node,), 5)
    assert len(opened.leaves) == 18 - 1 + OPENED_INTO
    assert [node for node in opened.branches.merged if node in opened.opened] == [big.node]
    inner = next(leaf for leaf in opened.leaves if leaf not in plain.leaves and leaf.size > 2)
    assert len(drawn_tree(many, 18, (inner.node, big.node), 5).leaves) > len(opened.leaves)
    for nonsense in (-1, 3, 10**9, inner.node):
        assert drawn_tree(many, 18, (nonsense,), 5).leaves == plain.leaves


def test_the_line_stands_between_the_merges_it_separates(view):
    many = random_view(view)
    heights = many.tree.linkage[:, 2]
    for k in (2, 3, 50, 399, 400):
        at = cut_height(many, k)
        assert (heights > at).sum() == k - 1
    assert cut_height(many, 1) > heights[-1]


def test_the_cuts_on_offer_rise_and_hold_the_chosen_one(view):
    offered = cuts(random_view(view))
    ks = [cut.k for cut in offered]
    assert ks == sorted(set(ks))
    assert {1, 2, 3, 400} <= set(ks)
    assert max(cut.criterion for cut in offered) == 1.0
    assert [cut.lost for cut in offered] == sorted((cut.lost for cut in offered), reverse=True)
    assert nearest(offered, 10**6).k == 400
    assert nearest(offered, 3).k == 3


def test_the_page_shows_tree_curve_groups_and_ways_to_save(client):
    html = client.get("/explore?leaves=3").text
    assert 'aria-label="Dendrogram of 3 branches"' in html
    assert 'aria-valuenow="4"' in html
    for cluster in get(client, "/v1/corpora/small/clusters?k=4")["clusters"]:
        assert f"<strong>{cluster['label']}</strong></a> <small>{cluster['size']} tags</small>" in html
    for part in ("dendrogram?k=3&amp;format=svg", "format=newick", "clusters?k=4&amp;format=csv", "save-png"):
        assert part in html


def test_every_state_of_the_tree_is_an_address(view):
    state = ExploreParams("small", leaves=5, opened=(9,), cut=2)
    assert state.link() == "/explore?corpus=small&leaves=5&cut=2&open=9"
    assert state.opening(8) == "/explore?corpus=small&leaves=5&cut=2&open=9&open=8"
    assert state.closing(9) == "/explore?corpus=small&leaves=5&cut=2"
    assert ExploreParams("small").link() == "/explore?corpus=small"
    assert explore(view, ExploreParams("small", cut=2)).cut.k == 2


@pytest.mark.parametrize(
    "query",
    [
        "cut=0",
        "cut=-1",
        "cut=x",
        "cut=99999999999",
        "leaves=1",
        "leaves=x",
        "open=x",
        "open=-1",
        "open=²",
        "open=" + "9" * 5000,
    ],
)
def test_odd_parameters_never_break_the_page(client, query):
    assert client.get(f"/explore?{query}").status_code == 200


def test_an_unknown_corpus_is_told(client):
    assert client.get("/explore?corpus=nothing").status_code == 404


def test_a_corpus_of_one_tag_has_a_page(view):
    one = View(
        replace(
            view.snapshot,
            names=("only",),
            keys=("only",),
            counts=np.array([7], np.int32),
            breadth=np.zeros(1, np.float32),
            broad=np.zeros(1, np.bool_),
            partition=Partition.from_ids(np.zeros(1, np.int32)),
            tree=Dendrogram(np.zeros((0, 4))),
            clusters=view.snapshot.clusters[:1],
            related=replace(view.snapshot.related, starts=np.zeros(2, np.int32), prior=np.zeros(1, np.float32)),
            tag_curve=replace(
                view.snapshot.tag_curve,
                k=np.array([1], np.int32),
                entropy=np.zeros(1),
                information=np.zeros(1),
                criterion=np.zeros(1),
            ),
        )
    )
    found = explore(one, ExploreParams("small"))
    assert [leaf.branch.label for leaf in found.leaves] == ["only"]


def test_the_curve_tells_the_criterion_by_k(client):
    """The criterion is entropy times information, largest where the tree is cut."""
    found = get(client, "/v1/corpora/small/curve")
    assert found["k"] == list(range(1, len(TAGS) + 1))
    products = np.multiply(found["entropy"], found["information"])
    assert found["criterion"] == pytest.approx(products.tolist(), abs=1e-5)
    assert found["chosen"] == found["k"][int(np.argmax(found["criterion"]))] == 4
    merges = get(client, "/v1/corpora/small/dendrogram?format=linkage")["linkage"]
    assert found["height"] == pytest.approx([*(merge[2] for merge in reversed(merges)), 0.0], abs=1e-6)
    assert get(client, "/v1/corpora/small/curve?side=documents")["height"] is None
    few = get(client, "/v1/corpora/small/curve?limit=3")
    assert few["k"] == [1, 4, len(TAGS)]


def test_a_partition_can_be_had_as_csv(client):
    answer = client.get("/v1/corpora/small/clusters?k=2&format=csv")
    assert answer.mimetype == "text/csv"
    rows = list(csv.reader(io.StringIO(answer.text)))
    assert rows[0] == ["tag", "count", "cluster", "label"]
    expected = [
        [tag, str(counts()[tag]), str(cluster["id"]), cluster["label"]]
        for cluster in get(client, "/v1/corpora/small/clusters?k=2")["clusters"]
        for tag in cluster["tags"]
    ]
    assert rows[1:] == expected
    assert sorted(row[0] for row in rows[1:]) == sorted(TAGS)


def pixels(body):
    """The shades of a PNG, checked chunk by chunk."""
    assert body[:8] == b"\x89PNG\r\n\x1a\n"
    at, found = 8, {}
    while at < len(body):
        (length,) = struct.unpack_from(">I", body, at)
        kind, data = body[at + 4 : at + 8], body[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", body, at + 8 + length)[0] == zlib.crc32(kind + data)
        found[kind] = data
        at += 12 + length
    width, height = struct.unpack_from(">II", found[b"IHDR"])
    assert len(found[b"PLTE"]) == 768
    return np.frombuffer(zlib.decompress(found[b"IDAT"]), np.uint8).reshape(height, width + 1)[:, 1:]


def test_the_matrix_can_be_seen_before_and_after_smoothing(client):
    for of in ("before", "after"):
        answer = client.get(f"/v1/corpora/small/picture?of={of}", headers={"Accept-Encoding": "br"})
        assert answer.mimetype == "image/png"
        assert "Content-Encoding" not in answer.headers
        assert np.array_equal(pixels(answer.get_data()), getattr(snapshot_at().picture, of))
    assert re.search(r'<img src="/v1/corpora/small/picture\?of=after" alt="[^"]+"', client.get("/explore").text)
