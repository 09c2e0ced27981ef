"""Pushed, replaced and deleted documents in the answers of a process, before any run has seen them."""

import random
import threading
from datetime import timedelta
from functools import partial

import orjson
import pytest

from service.app import create_gateway
from service.errors import NothingServed, UnknownDocument
from service.live.disk_cache import DiskCache
from service.live.document_files import DocumentFiles
from service.live.snapshots import LiveSnapshots
from service.questions.clouds.cloud import cloud
from service.questions.documents.documents import document, documents, query_counts, similar
from service.questions.text.query import parse_query
from service.settings import ServiceSettings
from service.web.metrics import Metrics
from snapshot import CorpusRegister, PushedDocument, PushedDocuments, RegisteredCorpus, SnapshotStore, StatusBoard
from snapshot.store import keys
from tests import clustered
from tests.clustered import NOON, TAGS, published
from tests.service.asking import Served
from tests.waiting import wait_until

NEW_TAGS = ["brand new", "Café", "never seen"]


class Plain:
    """What a plain count over the documents says."""

    def __init__(self):
        self.tags = {each["id"]: set(each["tags"]) for each in clustered.documents()}

    def having(self, *tags):
        return {name for name, own in self.tags.items() if set(tags) <= own}


def live_from(redis, folder, **options):
    live = LiveSnapshots(
        SnapshotStore(redis),
        StatusBoard(redis),
        register=CorpusRegister(redis),
        document_files=DocumentFiles(folder / "documents"),
        pushed=partial(PushedDocuments, redis),
        answer_bytes=1_000_000,
        **options,
    )
    live.refresh()
    return live


@pytest.fixture
def live(redis, tmp_path):
    SnapshotStore(redis).publish(published())
    CorpusRegister(redis).write({"small": RegisteredCorpus("small", "Small", "1h", 1.8e9, pushed=True)})
    return live_from(redis, tmp_path)


@pytest.fixture
def pushed(redis):
    return PushedDocuments(redis, "small")


def asked(view, *tags):
    return parse_query(view, list(tags), "", exclude=(), unknown="ignore")


def found(view, *tags, limit=1000):
    """The ids of all documents with these tags, in the order of the answer, and the total."""
    answer = documents(view, asked(view, *tags), cluster=None, match="all", limit=limit, offset=0)
    return [entry["id"] for entry in answer.documents], answer.total


def assert_equal_to(view, plain):
    """Everything that counts documents equals a plain count."""
    names, total = found(view)
    assert (names, total) == (sorted(plain.tags), len(plain.tags))
    assert view.document_count == len(plain.tags)
    for tag in [*TAGS, *NEW_TAGS]:
        if not plain.having(tag):
            assert tag not in {view.tag_names[each] for each in view.listed}
            continue
        assert set(found(view, tag)[0]) == plain.having(tag), tag
        position = view.names.tag(tag)
        assert view.counts[position] == len(plain.having(tag))
    first, second = TAGS[0], TAGS[1]
    if plain.having(first):
        joint = query_counts(view, asked(view, first), together=True, narrow=False).counts
        assert joint[view.names.tag(second)] == len(plain.having(first, second))
    assert sum(view.snapshot.cluster_documents) == sum(
        view.documents.concept(view.documents.position(n)) is not None for n in names
    )


def test_pushes_replacements_and_deletions_at_random_count_exactly(live, pushed, redis, tmp_path):
    plain, chance = Plain(), random.Random(37)
    for _ in range(12):
        for _ in range(chance.randrange(1, 12)):
            if chance.random() < 0.45 and plain.tags:
                name = chance.choice(sorted(plain.tags))
                pushed.delete([name])
                del plain.tags[name]
            else:
                known = chance.choice(sorted(plain.tags)) if plain.tags else "x"
                name = chance.choice([known, f"fresh/{chance.randrange(30)}", f"é{chance.randrange(9)}"])
                tags = chance.sample([*TAGS, *NEW_TAGS], chance.randrange(1, 6))
                pushed.put([PushedDocument(name, tags)])
                plain.tags[name] = set(tags)
        live.refresh()
        assert_equal_to(live.view("small"), plain)
    again = live_from(redis, tmp_path).view("small")
    assert_equal_to(again, plain)  # a process that starts now has the same
    mine = live.view("small")
    assert (again.edition, again.tag_names, again.counts, again.listed) == (
        mine.edition,
        mine.tag_names,
        mine.counts,
        mine.listed,
    )
    assert cloud(mine, asked(mine), limit=40, groups=6, specificity=0.5) == cloud(
        again, asked(again), limit=40, groups=6, specificity=0.5
    )


def test_a_pushed_document_is_found_by_its_tags_and_like_others(live, pushed):
    pushed.put([PushedDocument("hot", ["rain", "sun", "never seen"], None, {"title": "Hot"})])
    live.refresh()
    view = live.view("small")
    answer = document(view, "hot", 5)
    assert (answer.fresh, answer.document["title"], answer.document["rare"]) == (1, "Hot", ["never seen"])
    assert answer.document["cluster"] == view.cluster_of[view.names.tag("rain")]
    assert answer.document["cluster"] == view.concept_of(view.names.tag("never seen"))
    nearest = similar(view, "hot", asked(view), limit=5, offset=0).documents
    assert all({"rain", "sun"} & set(entry["tags"]) for entry in nearest)
    assert found(view, "never seen") == (["hot"], 1)
    near = documents(view, asked(view, "never seen"), cluster=None, match=None, limit=5, offset=0)
    assert near.documents[0]["id"] == "hot"
    assert len(near.documents) == 5


def test_a_deleted_document_is_in_no_answer_though_every_run_fails(live, pushed, redis):
    victim = next(iter(clustered.documents()))["id"]
    before = live.view("small")
    assert document(before, victim, 3)
    pushed.delete([victim])
    live.refresh()
    view = live.view("small")
    with pytest.raises(UnknownDocument) as refusal:
        document(view, victim, 3)
    assert victim not in refusal.value.suggestions
    assert view.document_count == before.document_count - 1
    assert all(
        victim != entry["id"] for entry in similar(view, None, asked(view, "rain"), limit=500, offset=0).documents
    )
    assert before.edition != view.edition


def test_after_all_documents_are_deleted_nothing_is_served_until_one_is_pushed(live, pushed):
    pushed.clear()
    live.refresh()
    with pytest.raises(NothingServed) as refusal:
        live.view("small")
    assert refusal.value.absence.reason == "empty"
    pushed.put([PushedDocument("first", ["rain", "sun"])])
    live.refresh()
    assert found(live.view("small")) == (["first"], 1)
    assert found(live.view("small"), "rain") == (["first"], 1)
    assert {
        tag["tag"]
        for group in cloud(live.view("small"), asked(live.view("small")), limit=40, groups=6, specificity=0.5).groups
        for tag in group["tags"]
    } == {
        "rain",
        "sun",
    }


def test_an_older_version_that_is_activated_has_none_of_the_documents_deleted_since(live, pushed, redis):
    victim = next(iter(clustered.documents()))["id"]
    pushed.delete([victim])
    pushed.put([PushedDocument("hot", ["rain"])])
    later = NOON + timedelta(hours=1)
    parameters = {**clustered.clustered()[0].parameters, "pushed_revision": pushed.revision()}
    store = SnapshotStore(redis)
    store.publish(published(later, parameters=parameters))
    live.refresh()
    assert not live.view("small").changes.any  # dropped with the version that contains it
    store.activate("small", clustered.VERSION)
    live.refresh()
    assert live.view("small").documents.position(victim) is None
    assert found(live.view("small"), "rain")[0].count("hot") == 1


def test_changes_during_a_run_are_kept_when_its_version_is_taken_up(live, pushed, redis):
    pushed.put([PushedDocument("before", ["rain"])])
    revision = pushed.revision()
    pushed.put([PushedDocument("during", ["rain"])])
    parameters = {**clustered.clustered()[0].parameters, "pushed_revision": revision}
    SnapshotStore(redis).publish(published(NOON + timedelta(hours=1), parameters=parameters))
    live.refresh()
    assert set(live.view("small").changes.documents) == {"during"}


def test_a_run_that_finds_the_same_documents_lets_the_changes_go(live, pushed, redis):
    pushed.put([PushedDocument("one", ["rain"])])
    pushed.delete(["one"])
    live.refresh()
    assert live.view("small").changes.any
    pushed.note_contained(clustered.VERSION, pushed.revision())
    live.refresh()
    assert not live.view("small").changes.any


def test_beyond_the_limit_documents_wait_and_a_run_is_requested_but_deletions_do_not_wait(
    redis, live, pushed, tmp_path
):
    live = live_from(redis, tmp_path, fresh_limit=3)
    pushed.put([PushedDocument(f"fresh{n}", ["rain"]) for n in range(5)])
    victim = next(iter(clustered.documents()))["id"]
    pushed.delete([victim])
    live.refresh()
    view = live.view("small")
    assert (view.fresh, view.changes.waiting) == (3, 2)
    assert view.documents.position(victim) is None
    (request,) = redis.lrange(keys.REQUESTS, 0, -1)
    assert orjson.loads(request)["corpus"] == "small"
    live.refresh()
    assert redis.llen(keys.REQUESTS) == 1


def test_processes_that_hold_other_documents_beyond_the_limit_have_other_etags(redis, live, pushed, tmp_path):
    """What a process has taken up depends on when it looked; one ETag never stands for two answers."""
    processes = [live_from(redis, tmp_path, fresh_limit=4) for _ in range(2)]
    chance, seen, different = random.Random(37), {}, 0

    def ask(process):
        client = Served(create_gateway(process, redis, ServiceSettings(), Metrics())).test_client()
        answer = client.get("/v1/corpora/small/documents?limit=100")
        assert answer.status_code == 200
        return answer.headers["ETag"], answer.data

    for _ in range(40):
        name = f"a{chance.randrange(8)}"  # first in the list
        if chance.random() < 0.4:
            pushed.delete([name])
        else:
            pushed.put([PushedDocument(name, chance.sample(TAGS, 2))])
        processes[0].refresh()
        if chance.random() < 0.3:
            processes[1].refresh()
        answers = [ask(process) for process in (*processes, live_from(redis, tmp_path, fresh_limit=4))]
        for etag, body in answers:
            assert seen.setdefault(etag, body) == body, etag
        different += answers[0][1] != answers[2][1]
    assert different  # otherwise nothing was tested
    parameters = {**clustered.clustered()[0].parameters, "pushed_revision": pushed.revision()}
    SnapshotStore(redis).publish(published(NOON + timedelta(hours=1), parameters=parameters))
    for process in processes:
        process.refresh()
    assert ask(processes[0]) == ask(processes[1]) == ask(live_from(redis, tmp_path, fresh_limit=4))


def test_where_a_process_takes_up_no_document_at_all_a_run_is_requested(redis, live, pushed, tmp_path):
    live = live_from(redis, tmp_path, fresh_limit=0)
    pushed.put([PushedDocument("hot", ["rain"])])
    live.refresh()
    assert live.view("small").fresh == 0
    assert redis.llen(keys.REQUESTS) == 1


def test_a_process_that_starts_without_the_store_hides_what_was_deleted_before(redis, live, pushed, tmp_path):
    cache = DiskCache(tmp_path / "cache")
    live_from(redis, tmp_path, disk_cache=cache)
    victim = next(iter(clustered.documents()))["id"]
    pushed.delete([victim])
    running = live_from(redis, tmp_path, disk_cache=cache)
    assert running.view("small").documents.position(victim) is None
    redis.flushall()
    alone = LiveSnapshots(
        SnapshotStore(redis),
        StatusBoard(redis),
        document_files=DocumentFiles(tmp_path / "documents"),
        disk_cache=cache,
    )
    alone.start()
    try:
        assert alone.view("small").documents.position(victim) is None
        assert alone.view("small").document_count == running.view("small").document_count
    finally:
        alone.stop()


def test_an_announcement_is_enough_to_take_up_a_document(redis, live, pushed):
    live.start()
    try:
        pushed.put([PushedDocument("hot", ["rain"])])
        wait_until(lambda: live.view("small").fresh == 1, "taking up a pushed document")
        pushed.delete(["hot"])
        wait_until(lambda: not live.view("small").fresh, "taking up a deletion")
    finally:
        live.stop()


def test_while_documents_stream_in_edits_and_versions_are_still_followed(redis, live, pushed):
    live.start()
    stopped = threading.Event()

    def stream():
        number = 0
        while not stopped.is_set():
            pushed.put([PushedDocument(f"s{number % 50}", ["rain", f"t{number}"])])
            number += 1

    thread = threading.Thread(target=stream)
    thread.start()
    try:
        later = NOON + timedelta(hours=1)
        SnapshotStore(redis).publish(published(later))
        wait_until(lambda: live.view("small").snapshot.created == later, "taking up a version")
        CorpusRegister(redis).write({"other": RegisteredCorpus("other", "Other", "1h", 1.8e9)})
        wait_until(lambda: "other" in live.declarations(), "reading a declaration")
    finally:
        stopped.set()
        thread.join()
        live.stop()


def test_the_same_document_pushed_again_is_no_change(live, pushed):
    pushed.put([PushedDocument("one", ["rain"])])
    revision = pushed.revision()
    pushed.put([PushedDocument("one", ["rain"])])
    assert pushed.revision() == revision


def test_changes_are_forgotten_when_every_stored_version_has_them(live, pushed, redis):
    store = SnapshotStore(redis)
    pushed.put([PushedDocument("one", ["rain"])])
    pushed.trim(store)
    assert redis.zcard(keys.pushed_changes("small")) == 1  # the version at noon lacks it
    parameters = {**clustered.clustered()[0].parameters, "pushed_revision": pushed.revision()}
    store.publish(published(NOON + timedelta(hours=1), parameters=parameters))
    store.retain("small", 1)
    pushed.trim(store)
    assert redis.zcard(keys.pushed_changes("small")) == 0
