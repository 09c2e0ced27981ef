"""After the next run nothing is left of the overlay: answers equal those of a fresh build, byte by byte."""

import random
import re
from functools import partial
from urllib.parse import quote

import pytest

from service.app import create_gateway
from service.live.document_files import DocumentFiles
from service.live.snapshots import LiveSnapshots
from service.settings import ServiceSettings
from service.web.metrics import Metrics
from snapshot import CorpusRegister, PushedDocument, PushedDocuments, RegisteredCorpus, SnapshotStore, StatusBoard
from tests.clock import Clock
from tests.conftest import TOPICS, topic_documents
from tests.servers import Server
from tests.service.asking import Served
from worker.corpora.declaration import Corpus
from worker.runs.job import run

CORPUS = Corpus(name="live", title="Live", source={"pushed": True}, max_loss=1.0, max_drift=1.0)
TAGS = [tag for tags in TOPICS.values() for tag in tags]
PATHS = (
    "cloud?limit=60&groups=12",
    *(f"cloud?tag={quote(tag)}&together=true&limit=60" for tag in ("rain", "bread", "credit card", "Jazz")),
    *(f"related?tag={quote(tag)}&limit=50" for tag in ("sun", "cash")),
    "documents?limit=100",
    "documents?sort=date&limit=100&offset=50",
    "documents?tag=rain&tag=sun&limit=100",
    "documents?tag=cash&exclude=bank&from=2026-03&limit=100",
    "cloud?last=30d&limit=60",
    "document?id=fresh-3&limit=20",
    "similar?tag=rain&tag=sun&limit=50",
    "tags?limit=500",
    "clusters",
    "trends?window=30d",
    "trends?window=30d&direction=falling",
    "feed?limit=50",
    "tag?tag=never%20seen",
)


class Place:
    """A store with the corpus, and a process that serves it."""

    def __init__(self, folder, clock):
        self.server = Server(folder / "store").start()
        self.redis = self.server.client()
        self.folder, self.clock = folder, clock
        self.pushed = PushedDocuments(self.redis, "live")
        CorpusRegister(self.redis).write({"live": RegisteredCorpus("live", "Live", "1h", 1.8e9, pushed=True)})

    def run(self):
        outcome = run(CORPUS, self.redis, "job", clock=self.clock)
        assert outcome["state"] == "done", outcome

    def serve(self):
        self.live = LiveSnapshots(
            SnapshotStore(self.redis),
            StatusBoard(self.redis),
            register=CorpusRegister(self.redis),
            document_files=DocumentFiles(self.folder / "documents"),
            pushed=partial(PushedDocuments, self.redis),
            answer_bytes=1_000_000,
        )
        self.live.refresh()
        self.client = Served(create_gateway(self.live, self.redis, ServiceSettings(), Metrics())).test_client()

    def answers(self):
        found = {path: self.client.get(f"/v1/corpora/live/{path}") for path in PATHS}
        return {path: (answer.status_code, answer.data) for path, answer in found.items()}


@pytest.fixture
def places(tmp_path_factory, environment):
    clock = Clock(1.79e9)
    made = [Place(tmp_path_factory.mktemp(name), clock) for name in ("one", "other")]
    yield made
    for place in made:
        place.server.stop()


def card(number):
    return {"title": f"Document {number}", "fields": {"date": f"2026-{1 + number % 9:02}-{1 + number % 28:02}"}}


def first():
    return [PushedDocument(each["id"], each["tags"], None, card(n)) for n, each in enumerate(topic_documents())]


def test_after_the_next_run_answers_equal_those_of_a_fresh_build_byte_by_byte(places):
    """One place is served all the time while documents come, change and go; the other gets the outcome alone.

    Both have a version before: a run inherits the ids and colours of its concepts, and which tags are broad; ids decide
    between concepts to which a document belongs equally. The test below has no version before.
    """
    served, fresh = places
    for place in places:
        place.pushed.put(first())
        place.run()
    served.serve()
    chance, left = random.Random(37), {each.id: each for each in first()}
    for step in range(80):
        if chance.random() < 0.4:
            name = chance.choice(sorted(left))
            served.pushed.delete([name])
            del left[name]
        else:
            name = chance.choice([chance.choice(sorted(left)), f"fresh-{step % 30}"])
            tags = chance.sample([*TAGS, "never seen", "Café"], chance.randrange(2, 6))
            left[name] = PushedDocument(name, tags, None, card(step))
            served.pushed.put([left[name]])
        if step % 10 == 9:
            served.live.refresh()
            assert served.answers()
    assert served.live.view("live").fresh > 10
    fresh.pushed.put(each for each in left.values())
    fresh.pushed.delete([each.id for each in first() if each.id not in left])
    served.clock.now += 60
    for place in places:
        place.run()
    served.live.refresh()
    fresh.serve()
    assert not served.live.view("live").changes.any
    expected = fresh.answers()
    assert {status for status, _ in expected.values()} == {200}
    assert served.answers() == expected


def test_where_the_topics_stay_as_they_are_answers_equal_those_of_a_first_build_byte_by_byte(places):
    """One place is served while documents of the same topics come and go; the other never had a version.

    All but colours: a run takes over those of the version before, so a first build has them in another order.
    """
    served, new = places
    served.pushed.put(first())
    served.run()
    served.serve()
    chance, left = random.Random(37), {each.id: each for each in first()}
    for step, each in enumerate([*topic_documents(260)][200:]):
        name = f"fresh-{step}" if step % 5 != 4 else chance.choice([name for name in left if name.startswith("d")])
        tags = [*each["tags"], "never seen"] if step in (3, 7) else each["tags"]
        left[name] = PushedDocument(name, tags, None, card(step))
        served.pushed.put([left[name]])
        if step % 4 == 0:
            gone = chance.choice([name for name in left if name.startswith("d")])
            served.pushed.delete([gone])
            del left[gone]
        if step % 10 == 9:
            served.live.refresh()
    assert served.live.view("live").fresh > 40
    new.pushed.put(left.values())
    served.clock.now += 60
    for place in places:
        place.run()
    served.live.refresh()
    new.serve()
    expected = new.answers()
    assert {status for status, _ in expected.values()} == {200}
    assert uncoloured(served.answers()) == uncoloured(expected)


def uncoloured(answers):
    return {path: (status, re.sub(rb'"hue":\d+', b'"hue":0', data)) for path, (status, data) in answers.items()}
