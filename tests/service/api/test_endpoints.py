"""Every path of the API beside cloud and related, which test_api.py has."""

import csv
import io
import re
from datetime import timedelta
from xml.etree import ElementTree as ET

import numpy as np
import orjson
import pytest
from scipy.cluster.hierarchy import is_valid_linkage

from service.questions.clusters import clusters
from service.view.view import View
from snapshot import CorpusRegister, PushedDocuments, RegisteredCorpus, RunStatus, StatusBoard, normalise
from tests.clustered import BROAD, NOON, TAGS, by_count, counts, documents, published, snapshot_at
from tests.conftest import TOPICS
from tests.service.api.test_api import get, problem

SMALL = "/v1/corpora/small"


def names(answer):
    return [tag["tag"] for tag in answer["tags"]]


def test_autocomplete_by_beginning_and_by_part_commonest_first(client):
    assert names(get(client, "/v1/corpora/small/tags?prefix=ca")) == ["cash", "credit card"]
    assert names(get(client, "/v1/corpora/small/tags?prefix=Version%20c")) == ["version-control"]
    containing = [tag for tag in by_count() if "a" in tag.casefold()]
    assert names(get(client, "/v1/corpora/small/tags?infix=a")) == containing
    assert names(get(client, "/v1/corpora/small/tags?prefix=c&infix=card")) == ["credit card"]
    assert names(get(client, "/v1/corpora/small/tags?prefix=zz")) == []


def test_all_tags_can_be_paged_through(client):
    pages = [get(client, f"/v1/corpora/small/tags?limit=14&offset={offset}") for offset in (0, 14, 28, 42)]
    assert [page["total"] for page in pages] == [len(TAGS)] * 4
    assert [tag for page in pages for tag in names(page)] == by_count()


def test_completion_equals_looking_at_every_key():
    """Against the obvious way, on keys with repeated beginnings and odd characters."""
    from service.view.autocomplete import Autocomplete

    random = np.random.default_rng(1)
    letters = list("aab cé日🙂")
    keys = list(dict.fromkeys("".join(random.choice(letters, size=random.integers(1, 6))) for _ in range(400)))
    found = Autocomplete(keys)
    for wanted in ["", "a", "aa", "b c", "é", "日", "🙂", "zz", *keys[:50]]:
        assert list(found.beginning(wanted)) == [rank for rank, key in enumerate(keys) if key.startswith(wanted)]
        assert list(found.containing(wanted)) == [rank for rank, key in enumerate(keys) if wanted in key]
        later = [rank for rank, key in enumerate(keys) if wanted and f" {wanted}" in key]
        assert list(found.later_word(wanted)) == later


def test_one_tag_with_its_cluster_and_neighbours(client):
    found = get(client, "/v1/corpora/small/tag?tag=PAYMENT&limit=3")
    count = counts()["payment"]
    assert (found["tag"], found["count"], found["share"]) == ("payment", count, count / len(list(documents())))
    concept = get(client, f"{SMALL}/clusters/{found['cluster']}")
    assert "payment" in names(concept)
    assert (found["label"], found["broad"]) == (concept["label"], False)
    assert get(client, f"{SMALL}/tag?tag={BROAD}")["broad"] is True
    assert len(found["neighbours"]) == 3
    related = get(client, f"{SMALL}/related?tag=payment&specificity=1&limit=3")["related"]
    assert [neighbour | {"because": [{"tag": "payment", "share": 1.0}]} for neighbour in found["neighbours"]] == related
    assert "payment" in problem(client, "/v1/corpora/small/tag?tag=paymen", 404)["suggestions"]


def test_the_chosen_partition(client):
    found = get(client, "/v1/corpora/small/clusters")
    assert (found["k"], found["chosen"]) == (len(TOPICS), True)
    assert {frozenset(cluster["tags"]) - {BROAD} for cluster in found["clusters"]} == set(
        map(frozenset, TOPICS.values())
    )
    for cluster in found["clusters"]:
        assert cluster["size"] == len(cluster["tags"])
        assert cluster["tags"] == [tag for tag in by_count() if tag in cluster["tags"]]
        assert set(cluster["label"].split(", ")) < set(cluster["tags"])
    assert get(client, "/v1/corpora/small/clusters?limit=1&offset=1")["clusters"] == found["clusters"][1:2]


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 20, 32, 33])
def test_the_partition_at_any_k_has_exactly_k_clusters(client, k):
    found = get(client, f"/v1/corpora/small/clusters?k={k}")
    assert found["k"] == len(found["clusters"]) == k
    assert sorted(tag for cluster in found["clusters"] for tag in cluster["tags"]) == sorted(TAGS)
    assert all(cluster["label"] for cluster in found["clusters"])


def test_k_outside_its_range_is_told_with_the_range(client):
    assert "between 1 and 33" in problem(client, "/v1/corpora/small/clusters?k=34", 422)["detail"]
    assert "between 1 and 33" in problem(client, "/v1/corpora/small/dendrogram?k=34", 422)["detail"]
    problem(client, "/v1/corpora/small/clusters?k=0", 422)


def test_one_cluster_with_members_and_the_nearest_others(client):
    """The nearest is the one that the tree joins with it first."""
    chosen = {cluster["id"]: cluster["tags"] for cluster in get(client, f"{SMALL}/clusters")["clusters"]}
    (pair,) = (
        inside
        for joined in get(client, f"{SMALL}/clusters?k=3")["clusters"]
        if len(inside := [number for number, tags in chosen.items() if set(tags) <= set(joined["tags"])]) == 2
    )
    for one, other in (pair, reversed(pair)):
        found = get(client, f"{SMALL}/clusters/{one}")
        assert names(found) == chosen[one]
        assert found["near"][0]["id"] == other
        assert {near["id"] for near in found["near"]} == chosen.keys() - {one}
        assert found["lineage"]["clusters"][str(one)] == {"kind": "new", "from": []}
    assert "no cluster 9" in problem(client, "/v1/corpora/small/clusters/9", 404)["detail"]
    problem(client, "/v1/corpora/small/clusters/two", 422)


def depths(newick):
    """How far each leaf of a Newick text is from the root."""
    found, nested = {}, [[]]
    for label, sign, length in re.findall(r"'([^']*)'|([(,);])|:([0-9.e-]+)", newick):
        if sign == "(":
            nested.append([])
        elif sign == ")":
            nested[-2].append([leaf for branch in nested.pop() for leaf in branch])
        elif label:
            nested[-1].append([label])
            found[label] = 0.0
        elif length:
            for leaf in nested[-1][-1]:
                found[leaf] += float(length)
    return found


def test_the_tree_in_every_format(client):
    path = "/v1/corpora/small/dendrogram?k=3"
    tree = get(client, path)["tree"]
    assert len(re.findall('"id"', str(tree).replace("'", '"'))) == 3
    linkage = get(client, f"{path}&format=linkage")
    assert is_valid_linkage(np.array(linkage["linkage"]))
    sizes = {cluster["label"]: cluster["size"] for cluster in get(client, f"{SMALL}/clusters?k=3")["clusters"]}
    assert {leaf["label"]: leaf["size"] for leaf in linkage["leaves"]} == sizes
    newick = client.get(f"{path}&format=newick")
    assert newick.mimetype == "text/plain"
    assert depths(newick.text) == {
        leaf["label"]: pytest.approx(linkage["linkage"][-1][2] - leaf["height"], rel=1e-4) for leaf in linkage["leaves"]
    }
    svg = client.get(f"{path}&format=svg")
    assert svg.mimetype == "image/svg+xml"
    assert ET.fromstring(svg.text).tag.endswith("svg")  # noqa: S314 - our own drawing


def test_the_tree_of_documents_is_read_from_the_store(client):
    found = get(client, "/v1/corpora/small/dendrogram?side=documents&k=4&format=linkage")
    assert [leaf["size"] for leaf in found["leaves"]] == [50] * len(TOPICS)
    assert get(client, "/v1/corpora/small/dendrogram?side=documents")["k"] == 200
    problem(client, "/v1/corpora/small/dendrogram?side=documents&k=201", 422)


def test_names_that_are_markup_or_no_xml_are_drawn_as_text():
    from service.questions.clusters import dendrogram
    from service.questions.clusters import svg as drawing

    names = ("<script>", "a&b", "'", "\x00\x0b", "日本", "\ufffe")
    odd = View(snapshot_at(names=(*names, *TAGS[len(names) :])))
    ET.fromstring(drawing.svg(dendrogram.of_tags(odd, None)).body)  # noqa: S314 - our own drawing


def test_versions_are_listed_and_rolled_back(writer, store, live):
    first = store.current("small")
    newer = published(NOON + timedelta(days=1))
    store.publish(newer)
    live.refresh()
    found = get(writer, "/v1/corpora/small/snapshots")
    assert [(one["version"], one["current"]) for one in found["snapshots"]] == [(newer.version, True), (first, False)]
    assert found["served"] == newer.version
    answer = writer.post(f"/v1/corpora/small/snapshots/{first}/activate")
    assert answer.get_json() == {"corpus": "small", "version": first}
    live.refresh()
    assert get(writer, "/v1/corpora/small/tags")["version"] == first
    assert writer.post("/v1/corpora/small/snapshots/20200101T000000.000Z/activate").status_code == 404
    assert writer.post("/v1/corpora/none/snapshots/20200101T000000.000Z/activate").status_code == 404
    assert writer.post("/v1/corpora/small/snapshots/latest/activate").status_code == 422
    problem(writer, "/v1/corpora/none/snapshots", 404)


def test_jobs_are_asked_for_followed_and_cancelled(writer, redis):
    answer = writer.post("/v1/corpora/small/jobs?fresh=true")
    assert answer.status_code == 202
    job = answer.get_json()["job"]
    assert answer.headers["Location"] == f"/v1/jobs/{job}"
    assert get(writer, f"/v1/jobs/{job}")["state"] == "queued"
    assert orjson.loads(redis.lindex("cotag:requests", 0))["fresh"] is True
    assert writer.delete(f"/v1/jobs/{job}").status_code == 202
    board = StatusBoard(redis)
    assert board.cancelled(job)
    board.write("small", RunStatus(job, "done", 1.0, 2.0, version="v"))
    assert get(writer, f"/v1/jobs/{job}")["state"] == "done"
    assert writer.delete(f"/v1/jobs/{job}").status_code == 409
    assert writer.post("/v1/corpora/none/jobs").status_code == 404
    problem(writer, "/v1/jobs/none", 404)
    problem(writer, f"/v1/jobs/{job}:cancel", 422)


def push(writer, body, corpus="pushed", kind="application/x-ndjson"):
    return writer.post(f"/v1/corpora/{corpus}/documents", data=body, content_type=kind)


def test_a_push_that_the_store_does_not_write_to_its_disk_is_a_503(writer, redis):
    redis.config_set("appendfsync", "no")
    try:
        answer = push(writer, b'{"id": "a", "tags": ["x"]}')
    finally:
        redis.config_set("appendfsync", "everysec")
    assert answer.status_code == 503
    assert push(writer, b'{"id": "a", "tags": ["x"]}').status_code == 200


def test_documents_are_pushed_replaced_and_removed(writer, redis):
    lines = b'{"id": "a", "tags": ["x", "y"]}\n\n{"id": "b", "tags": [], "label": "z"}\n'
    accepted = {
        "corpus": "pushed",
        "changed": 2,
        "documents": 2,
        "version": None,
        "revision": None,
        "placed": [],
        "new_tags": [],
    }
    assert push(writer, lines).get_json() == accepted
    assert push(writer, b'{"id": "a", "tags": ["new"]}').get_json()["documents"] == 2
    held = sorted(PushedDocuments(redis, "pushed").records())
    assert orjson.loads(held[0]) == {"id": "a", "tags": ["new"], "label": None}
    assert writer.delete("/v1/corpora/pushed/documents?id=a&id=none").get_json() == {
        "corpus": "pushed",
        "changed": 1,
        "documents": 1,
    }
    assert writer.delete("/v1/corpora/pushed/documents?all=true").get_json()["documents"] == 0
    assert writer.delete("/v1/corpora/pushed/documents").status_code == 422
    assert writer.delete("/v1/corpora/pushed/documents?all=true&id=a").status_code == 422


def test_wrong_lines_are_named_and_nothing_is_kept(writer, redis):
    bad = [
        '{"id": "a", "tags": ["x"]}',
        "{not json",
        "[]",
        '{"tags": ["x"]}',
        '{"id": "b", "tags": "x"}',
        '{"id": "c", "tags": [1]}',
        '{"id": "", "tags": []}',
        '{"id": "d", "tags": [], "label": 3}',
        '{"id": "e", "tags": [], "tgas": []}',
        '{"id": "f", "tags": ["\\ud800"]}',
    ]
    answer = push(writer, "\n".join(bad).encode())
    assert answer.status_code == 422
    found = answer.get_json(force=True)
    assert [fault["line"] for fault in found["lines"]] == list(range(2, 11))
    assert "unknown field 'tgas'" in found["lines"][7]["error"]
    assert PushedDocuments(redis, "pushed").count() == 0
    assert push(writer, b"\n\n").status_code == 422


def test_cards_are_pushed_and_checked_at_the_door(writer, redis):
    """Relative URLs only where a base_url is declared."""
    card = {"title": "A", "url": "https://example.org/a", "image": "http://example.org/a.png", "fields": {"year": 1999}}
    assert push(writer, orjson.dumps({"id": "a", "tags": ["x"], **card})).status_code == 200
    (held,) = PushedDocuments(redis, "pushed").records()
    assert orjson.loads(held) == {"id": "a", "tags": ["x"], "label": None, **card}
    wrong = [
        {"url": "javascript:alert(1)"},
        {"image": "a.png"},
        {"title": ["a"]},
        {"fields": ["a"]},
        {"fields": {"a": {}}},
        {"fields": {str(n): n for n in range(21)}},
    ]
    answer = push(writer, b"\n".join(orjson.dumps({"id": "b", "tags": [], **each}) for each in wrong))
    faults = answer.get_json(force=True)["lines"]
    assert [fault["line"] for fault in faults] == [1, 2, 3, 4, 5, 6]
    assert faults[1]["error"] == "the image 'a.png' is relative, and no base_url is declared"
    assert PushedDocuments(redis, "pushed").count() == 1
    CorpusRegister(redis).write({"pushed": RegisteredCorpus("pushed", "", "1h", 0.0, pushed=True, base_url="/images/")})
    assert push(writer, b'{"id": "b", "tags": [], "image": "a.png"}').status_code == 200


def test_an_array_of_documents_is_pushed_like_lines(writer, redis):
    array = b' [{"id": "a", "tags": ["x"]},\n {"id": "b", "tags": []}] '
    answer = push(writer, array, kind="application/json")
    assert (answer.status_code, answer.json["changed"]) == (200, 2)
    wrong = push(writer, b'[{"id": "c", "tags": []}, {"id": "d"}, 7]', kind="application/json").json
    assert wrong["detail"] == "2 of 3 elements are no documents; nothing was kept"
    assert [fault["line"] for fault in wrong["lines"]] == [2, 3]
    broken = push(writer, b'[{"id": "c", "tags": []},\n oops]', kind="application/json")
    assert (broken.status_code, broken.json["lines"][0]["line"]) == (422, 2)
    assert push(writer, b"[]", kind="application/json").status_code == 422
    assert PushedDocuments(redis, "pushed").count() == 2


def test_only_pushed_corpora_take_documents_and_only_as_lines(writer):
    line = b'{"id": "a", "tags": ["x"]}'
    assert push(writer, line, corpus="small").status_code == 409
    assert push(writer, line, corpus="none").status_code == 404
    assert push(writer, line, kind="text/csv").status_code == 415
    packed = writer.post("/v1/corpora/pushed/documents", data=line, headers={"Content-Encoding": "gzip"})
    assert packed.status_code == 415


def test_one_corpus_tells_its_schedule_staleness_and_run(client, live, redis):
    StatusBoard(redis).write("small", RunStatus("job-1", "running", 1.0, 2.0, stage="smooth", done=1, total=3))
    live.refresh()
    found = get(client, "/v1/corpora/small")
    assert (found["schedule"], found["pushed"], found["stale"], found["stale_seconds"]) == ("24h", False, False, 0.0)
    assert (found["run"]["job"], found["run"]["stage"], found["run"]["total"]) == ("job-1", "smooth", 3)


def test_a_tag_is_described_without_neighbours_when_none_are_asked_for(client):
    for tag in TAGS:
        answer = client.get("/v1/corpora/small/tag", query_string={"tag": tag, "limit": 0})
        assert answer.status_code == 200
        assert answer.get_json()["neighbours"] == []


def test_no_cell_of_a_table_begins_like_a_formula():
    altered = ("=1+1", "+1", "-1", "@sum", *snapshot_at().names[4:])
    view = View(snapshot_at(names=altered, keys=tuple(normalise(name) for name in altered)))
    body = clusters.table(view, clusters.clusters(view, None, limit=None, offset=0)).body
    table = list(csv.reader(io.StringIO(body.decode())))
    assert {"'=1+1", "'+1", "'-1", "'@sum"} <= {row[0] for row in table}
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in table for cell in (row[0], row[3]))
