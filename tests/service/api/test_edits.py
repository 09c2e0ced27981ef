"""Editors' decisions over HTTP: what they change in answers, who may make them, and what is refused."""

import pytest
from redis import Redis

from service.live.disk_cache import DiskCache
from service.live.snapshots import LiveSnapshots
from service.web.policy.access import digest
from snapshot import SnapshotStore, StatusBoard
from snapshot.edits import Edit
from snapshot.store.edits import EditStore
from tests.clustered import NOON, TAGS, published
from tests.service.conftest import KEY

EDITS = "/v1/corpora/small/edits"


def move(tag, to):
    return {"kind": "move", "tag": tag, "to": to}


def post(client, *edits, revision=0, remove=(), address=EDITS, **headers):
    headers = {"If-Match": f'"{revision}"', **headers}
    return client.post(address, json={"edits": list(edits), "remove": list(remove)}, headers=headers)


def clusters(client, **query):
    answer = client.get("/v1/corpora/small/clusters", query_string=query).json
    return {tag: cluster["id"] for cluster in answer["clusters"] for tag in cluster["tags"]}


@pytest.fixture
def two(writer):
    """Two tags of different clusters."""
    at = clusters(writer)
    return TAGS[0], next(tag for tag in TAGS if at[tag] != at[TAGS[0]])


def test_a_move_changes_clusters_concepts_and_clouds_but_not_the_tree(writer, two):
    """The moved tag is in the other's cluster everywhere; the tree cut anywhere is the same as before."""
    tag, to = two
    before, tree = clusters(writer), clusters(writer, k=4)
    assert post(writer, move(tag, to)).status_code == 200
    after = clusters(writer)
    assert after == {**before, tag: before[to]}
    assert clusters(writer, k=4) == tree
    assert writer.get("/v1/corpora/small/tag", query_string={"tag": tag}).json["cluster"] == before[to]
    detail = writer.get(f"/v1/corpora/small/clusters/{before[to]}").json
    assert tag in [member["tag"] for member in detail["tags"]]
    assert detail["size"] == len(detail["tags"])
    assert before[to] in detail["lineage"]["edited"]
    cloud = writer.get("/v1/corpora/small/cloud?by=clusters&limit=50&groups=50").json
    shown = {each["tag"]: each["cluster"] for group in cloud["groups"] for each in group["tags"]}
    assert shown[tag] == before[to]
    page = writer.get("/concept", query_string={"corpus": "small", "id": before[to]}).text
    assert tag in page


def test_every_answer_and_etag_has_the_revision(writer, two):
    """After an edit the same question has another ETag, and an old one does not match."""
    address = "/v1/corpora/small/cloud"
    first = writer.get(address)
    assert first.json["revision"] == 0
    assert first.headers["Cotag-Revision"] == "0"
    post(writer, move(*two))
    second = writer.get(address, headers={"If-None-Match": first.headers["ETag"]})
    assert second.status_code == 200
    assert (second.json["revision"], second.headers["Cotag-Revision"]) == (1, "1")
    assert second.headers["ETag"] != first.headers["ETag"]


@pytest.mark.parametrize(
    "address",
    [
        "cloud",
        "related?tag={tag}",
        "tags",
        "tag?tag={tag}",
        "aliases",
        "clusters",
        "clusters?k=3",
        "clusters/{cluster}",
        "classify?tag={tag}",
        "dendrogram",
        "dendrogram?format=linkage",
        "curve",
        "documents",
        "similar?tag={tag}",
        "",
    ],
)
def test_the_revision_is_in_every_answer_that_names_a_version(writer, two, address):
    post(writer, move(*two))
    cluster = clusters(writer)[two[0]]
    answer = writer.get(f"/v1/corpora/small/{address.format(tag=two[0], cluster=cluster)}".removesuffix("/"))
    assert answer.json["revision"] == 1


def test_a_label_names_the_concept_of_its_tag_and_is_escaped(writer):
    text = "<script>alert(1)</script> & co"
    answer = post(writer, {"kind": "label", "tag": TAGS[0], "label": text})
    assert [edit["state"] for edit in answer.json["added"]] == ["active"]
    number = clusters(writer)[TAGS[0]]
    assert writer.get(f"/v1/corpora/small/clusters/{number}").json["label"] == text
    for page in ("/concept?corpus=small", f"/concept?corpus=small&id={number}", "/?corpus=small", "/ops"):
        html = writer.get(page).text
        assert "<script>alert" not in html
    concept = writer.get(f"/concept?corpus=small&id={number}").text
    assert "&lt;script&gt;alert" in concept
    assert "Editors have decided its name" in concept


def groups_of(client, **query):
    answer = client.get("/v1/corpora/small/cloud", query_string={"limit": 40, "groups": 4, **query}).json
    return [{each["tag"] for each in group["tags"]} for group in answer["groups"]]


def test_together_and_apart_hold_in_the_groups_of_a_query(writer):
    """A pair that a cloud groups is parted, a pair of two groups is joined; no tag is lost."""
    before = groups_of(writer)
    one, other = sorted(before[0])[:2]
    third, fourth = min(before[1]), min(before[2])
    edits = [{"kind": "apart", "tags": [one, other]}, {"kind": "together", "tags": [third, fourth]}]
    assert post(writer, *edits).status_code == 200
    after = groups_of(writer)
    assert not any({one, other} <= group for group in after)
    assert any({third, fourth} <= group for group in after)
    assert set.union(*after) == set.union(*before)


def test_a_move_changes_no_group_of_a_query(writer, two):
    """Only the id that the tag shows."""
    before = groups_of(writer)
    post(writer, move(*two))
    assert groups_of(writer) == before


def test_a_post_needs_the_revision_that_it_is_based_on(writer, two):
    body = {"edits": [move(*two)]}
    missing = writer.post(EDITS, json=body)
    assert (missing.status_code, missing.json["title"]) == (428, "Precondition Required")
    assert writer.post(EDITS, json=body, headers={"If-Match": "*"}).status_code == 428
    stale = post(writer, move(*two), revision=3)
    assert (stale.status_code, stale.json["revision"]) == (412, 0)
    done = post(writer, move(*two))
    assert (done.status_code, done.headers["ETag"]) == (200, '"1"')
    assert post(writer, {"kind": "ban", "tag": "x"}).json["revision"] == 1


def test_of_two_editors_one_is_told_and_nothing_is_lost(writer, two, redis):
    """Both read revision 0. The second gets 412, reads again and succeeds; both edits are there."""
    assert post(writer, move(*two)).status_code == 200
    late = post(writer, {"kind": "keep", "tag": "x"})
    assert late.status_code == 412
    assert post(writer, {"kind": "keep", "tag": "x"}, revision=late.json["revision"]).status_code == 200
    assert {edit.kind for edit in EditStore(redis).read("small").stored} == {"move", "keep"}


def test_a_wrong_edit_is_named_by_its_place_and_nothing_is_stored(writer, two, redis):
    refused = post(writer, move(*two), {"kind": "move", "tag": "a"}, {"kind": "fly"})
    assert refused.status_code == 422
    assert [(line["line"], line["error"][:9]) for line in refused.json["lines"]] == [(2, '"to" is n'), (3, '"kind" is')]
    assert EditStore(redis).read("small").revision == 0
    for body in (b"[", b"[]", b"{}", b'{"edit": []}', b'{"edits": 3}', b'{"remove": [3]}'):
        wrong = writer.post(EDITS, data=body, headers={"If-Match": "0"}, content_type="application/json")
        assert wrong.status_code == 422, body


def test_a_contradiction_is_a_409_that_names_both(writer, two):
    post(writer, {"kind": "together", "tags": list(two)})
    refused = post(writer, {"kind": "apart", "tags": list(two)}, revision=1)
    assert refused.status_code == 409
    (conflict,) = refused.json["conflicts"]
    assert (conflict["edit"]["kind"], conflict["other"]["kind"]) == ("apart", "together")
    assert all(repr(tag) in refused.json["detail"] for tag in two)
    replaced = post(writer, {"kind": "apart", "tags": list(two)}, revision=1, remove=[conflict["other"]["id"]])
    assert (replaced.status_code, replaced.json["revision"]) == (200, 2)


def test_what_the_corpora_file_says_wins_and_names_its_line(writer, two, redis, live):
    """Posted first, an edit becomes inactive when the file contradicts it; posted later, it is refused."""
    post(writer, {"kind": "together", "tags": list(two)})
    EditStore(redis).declare("small", [Edit("apart", tags=two, origin="file", line=12)])
    live.refresh()
    listed = {edit["kind"]: edit for edit in writer.get(EDITS).json["edits"]}
    assert listed["together"]["state"] == "inactive"
    assert "line 12" in listed["together"]["why"]
    assert (listed["apart"]["origin"], listed["apart"]["line"], listed["apart"]["state"]) == ("file", 12, "active")
    at = clusters(writer)
    assert at[two[0]] != at[two[1]]
    refused = post(writer, move(*two), revision=2)
    assert refused.status_code == 409
    assert "line 12 of the corpora file" in refused.json["detail"]
    assert refused.json["conflicts"][0]["other"]["line"] == 12
    undeletable = writer.delete(EDITS, query_string={"id": listed["apart"]["id"]})
    assert undeletable.status_code == 409


def test_two_labels_for_one_concept_are_refused(writer):
    """Also if different tags of it carry them."""
    at = clusters(writer)
    one, other = [tag for tag in TAGS if at[tag] == at[TAGS[0]]][:2]
    post(writer, {"kind": "label", "tag": one, "label": "One"})
    refused = post(writer, {"kind": "label", "tag": other, "label": "Two"}, revision=1)
    assert refused.status_code == 409
    assert refused.json["conflicts"][0]["other"]["label"] == "One"


def test_what_needs_a_run_says_so_and_waits(writer):
    answer = post(writer, {"kind": "synonym", "tag": "nowhere", "to": TAGS[0]}, {"kind": "ban", "tag": TAGS[1]}).json
    assert answer["needs_run"]
    assert answer["detail"] == "2 of these edits take effect with the next run: POST /v1/corpora/small/jobs"
    assert {edit["state"] for edit in answer["added"]} == {"waiting"}
    assert {edit["takes_effect"] for edit in answer["added"]} == {"next run"}
    assert writer.get("/v1/corpora/small/tag", query_string={"tag": TAGS[1]}).status_code == 200


def test_an_edit_without_its_tag_is_inactive_listed_and_counted(app_with, live, redis, two):
    """In the list with the reason, in the metric, and on /ops."""
    client = app_with(api_keys=digest(KEY)).test_client()
    client.environ_base["HTTP_X_API_KEY"] = KEY
    post(client, move("nowhere", two[1]), move(*two))
    answer = client.get(EDITS, query_string={"state": "inactive"}).json
    assert (answer["total"], answer["active"], answer["inactive"]) == (1, 1, 1)
    assert answer["edits"][0]["why"].startswith("there is no tag 'nowhere' in version")
    metrics = live._metrics.exposition(live._metrics.registry).decode()
    assert 'cotag_edits{corpus="small",state="inactive"} 1.0' in metrics
    page = client.get("/ops").text
    assert "nowhere" in page


def test_removed_and_undone(writer, two):
    """What was removed comes back with the answer posted as it is."""
    before = clusters(writer)
    first = post(writer, move(*two)).json
    removed = writer.delete(EDITS, query_string={"id": first["added"][0]["id"]}).json
    assert clusters(writer) == before
    back = post(writer, *removed["removed"], revision=removed["revision"])
    assert back.json["added"][0]["id"] == first["added"][0]["id"]
    assert clusters(writer) != before
    assert writer.delete(EDITS, query_string={"id": "000000000000"}).status_code == 404
    stale = writer.delete(EDITS, query_string={"id": first["added"][0]["id"]}, headers={"If-Match": '"1"'})
    assert stale.status_code == 412


def test_the_same_edit_again_changes_nothing(writer, two):
    post(writer, move(*two))
    again = post(writer, move(*two), revision=1)
    assert (again.status_code, again.json["revision"], again.json["added"]) == (200, 1, [])


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_only_keys_with_the_scope_edit_may(app_with, method):
    keys = [f"{scope}er:{scope}:{digest(scope)}" for scope in ("push", "edit", "operate")]
    client = app_with(api_keys=",".join(keys)).test_client()
    statuses = {
        key: client.open(EDITS, method=method, headers={"X-API-Key": key} if key else {}).status_code
        for key in ("", "push", "edit", "operate")
    }
    assert statuses[""] == 401
    assert statuses["push"] == 403
    assert statuses["edit"] == statuses["operate"]
    assert statuses["edit"] not in {401, 403}


def test_the_list_names_the_key_of_the_editor(app_with, two):
    client = app_with(api_keys=f"anna:edit:{digest(KEY)}").test_client()
    client.environ_base["HTTP_X_API_KEY"] = KEY
    post(client, move(*two))
    (edit,) = client.get(EDITS).json["edits"]
    assert edit["by"] == "anna"
    assert edit["at"].endswith("Z")


def test_edits_outlast_a_new_version_and_a_rollback(writer, two, store, live):
    """They are anchored by tags, so every version that has the tags shows them."""
    post(writer, move(*two))
    version = live.view("small").snapshot.version
    later = published(NOON.replace(hour=13))
    store.publish(later)
    live.refresh()
    assert live.view("small").snapshot.version != version
    at = clusters(writer)
    assert at[two[0]] == at[two[1]]
    store.activate("small", version)
    live.refresh()
    at = clusters(writer)
    assert at[two[0]] == at[two[1]]


def test_a_dry_run_reports_and_changes_nothing(writer, two, redis):
    """Tags moved, concepts changed, recall and bits before and after; no revision is needed."""
    before = clusters(writer)
    body = {"edits": [move(*two), {"kind": "label", "tag": two[1], "label": "Mixed"}]}
    report = writer.post(f"{EDITS}?dry_run=true", json=body)
    assert report.status_code == 200
    assert report.json["moved"] == [{"tag": two[0], "before": before[two[0]], "after": before[two[1]]}]
    assert (report.json["tags_moved"], report.json["concepts_changed"]) == (1, 2)
    changed = {each["id"]: each["after"]["label"] for each in report.json["concepts"]}
    assert changed[before[two[1]]] == "Mixed"
    bits, recall = report.json["bits"], report.json["recall"]
    assert bits["after"] < bits["before"]
    assert recall["before"] == recall["after"] > 0
    assert EditStore(redis).read("small").revision == 0
    assert clusters(writer) == before


def test_a_dry_run_of_what_needs_a_run_is_a_job(writer, redis):
    """202 with the job to follow; its edits are stored for the worker, and nothing else is."""
    answer = writer.post(f"{EDITS}?dry_run=true", json={"edits": [{"kind": "ban", "tag": TAGS[0]}]})
    assert answer.status_code == 202
    job = answer.json["job"]
    assert answer.headers["Location"] == f"/v1/jobs/{job}"
    assert writer.get(answer.headers["Location"]).json["state"] == "queued"
    store = EditStore(redis)
    assert [edit.kind for edit in store.trial(job, store.read("small")).stored] == ["ban"]
    assert store.read("small").revision == 0


def test_a_copy_on_disk_has_the_edits_for_a_start_without_the_store(writer, two, redis, tmp_path):
    """With the store away, a new process serves the edited clusters from disk."""
    cache = DiskCache(tmp_path / "copies")
    first = LiveSnapshots(SnapshotStore(redis), StatusBoard(redis), edits=EditStore(redis), disk_cache=cache)
    post(writer, move(*two))
    first.refresh()
    away = Redis(port=1, socket_connect_timeout=0.1)
    alone = LiveSnapshots(SnapshotStore(away), StatusBoard(away), edits=EditStore(away), disk_cache=cache)
    alone.start()
    alone.stop()
    view = alone.view("small")
    assert view.revision == 1
    assert view.cluster_of[view.index[two[0]]] == view.cluster_of[view.index[two[1]]]


def test_a_concept_without_tags_is_gone_everywhere_and_its_documents_are_elsewhere(writer, live):
    """All tags of a concept are moved away: no page and no answer names it, and no document is lost."""
    at = clusters(writer)
    emptied = at[TAGS[0]]
    to = next(tag for tag in TAGS if at[tag] != emptied)
    documents = {number: cluster_count(writer, number) for number in set(at.values())}
    post(writer, *(move(tag, to) for tag in TAGS if at[tag] == emptied))
    assert emptied not in set(clusters(writer).values())
    assert writer.get(f"/v1/corpora/small/clusters/{emptied}").status_code == 404
    assert cluster_count(writer, at[to]) == documents[emptied] + documents[at[to]]
    listed = writer.get("/v1/corpora/small/documents", query_string={"cluster": at[to], "limit": 1}).json
    assert listed["total"] == documents[emptied] + documents[at[to]]
    for page in (
        "/concept?corpus=small",
        f"/concept?corpus=small&id={at[to]}",
        "/explore?corpus=small",
        "/map?corpus=small",
    ):
        assert writer.get(page).status_code == 200, page
    entries = writer.get("/v1/corpora/small/documents", query_string={"limit": 100}).json["documents"]
    assert emptied not in {entry["cluster"] for entry in entries}


def cluster_count(client, number):
    return client.get(f"/v1/corpora/small/clusters/{number}").json["documents"]
