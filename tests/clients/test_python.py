"""`cotag.client` against a running service, and against services that refuse, break off or are not there."""

import asyncio
import http.server
import threading

import pytest

from cotag.client import ApiError, AsyncClient, Client, NoAnswer
from tests.clients.conftest import KEY
from tests.e2e.launching import free_port


@pytest.fixture
def cotag(served):
    with Client(served.url, key=KEY) as client:
        yield client


@pytest.mark.slow
def test_it_asks_about_tags_concepts_and_documents(cotag):
    first, second = (each["tag"] for each in cotag.tags("topics", limit=2)["tags"])
    cloud = cotag.cloud("topics", tag=[first, second], together=True, groups=4)
    assert cloud["query"]["tags"] == [first, second]
    assert 0 < len(cloud["groups"]) <= 4
    assert cotag.tag("topics", tag=first)["tag"] == first
    concept = cotag.clusters("topics")["clusters"][0]["id"]
    assert cotag.cluster("topics", concept)["id"] == concept
    found = cotag.documents("topics", q=first, match="all")
    document = found["documents"][0]
    assert cotag.document("topics", id=document["id"])["document"]["tags"] == document["tags"]
    assert cotag.canonical("topics", {"tags": [first]})["tags"][0]["tag"] == first
    assert cotag.picture("topics").startswith(b"\x89PNG")
    assert cotag.metrics_page().startswith("# HELP")
    assert cotag.ask("GET", "/v1/corpora/topics/dendrogram", {"format": "svg"}).text.startswith("<svg")


@pytest.mark.slow
def test_it_writes_with_a_key(cotag, served):
    line = '{"id": "a/b c", "tags": ["new", "tag"]}\n'
    assert cotag.post_documents("pushed", line)["changed"] == 1
    assert cotag.delete_documents("pushed", id=["a/b c"])["documents"] == 0
    with Client(served.url) as nobody, pytest.raises(ApiError) as refused:
        nobody.post_documents("pushed", line)
    assert refused.value.status == 401


@pytest.mark.slow
def test_a_refusal_says_why_and_what_is_near(cotag):
    tag = cotag.tags("topics", limit=1)["tags"][0]["tag"]
    with pytest.raises(ApiError, match="404") as refused:
        cotag.cloud("topics", tag=[tag + "x"])
    assert tag in refused.value.suggestions
    assert refused.value.problem["status"] == 404


@pytest.mark.slow
def test_the_same_calls_can_be_awaited(served):
    async def both():
        async with AsyncClient(served.url) as cotag:
            return await asyncio.gather(cotag.tags("topics", limit=3), cotag.corpus("topics"))

    tags, corpus = asyncio.run(both())
    assert len(tags["tags"]) == 3
    assert corpus["name"] == "topics"


class Refusing:
    """A service that gives prepared answers one after the other, then the last again; an empty one breaks off."""

    def __init__(self, *answers):
        self.asked = 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                answer = answers[min(outer.asked, len(answers) - 1)]
                outer.asked += 1
                if answer is None:
                    return
                status, headers, body = answer
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self):
                self.do_GET()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


SOON = {"Retry-After": "0"}
GOOD = (200, {}, b'{"corpora": []}')


def test_it_comes_again_when_the_service_says_when():
    with Refusing((429, SOON, b"{}"), (503, SOON, b"{}"), GOOD) as service, Client(service.url) as cotag:
        assert cotag.corpora() == {"corpora": []}
        assert service.asked == 3


@pytest.mark.parametrize(("headers", "asked"), [(SOON, 3), ({"Retry-After": "3600"}, 1), ({}, 1)])
def test_it_gives_up_after_its_retries_at_a_long_wait_and_without_retry_after(headers, asked):
    with Refusing((503, headers, b"busy")) as service, Client(service.url, retries=2) as cotag:
        with pytest.raises(ApiError, match="busy"):
            cotag.corpora()
        assert service.asked == asked


def test_a_question_is_asked_again_after_a_break_and_a_write_is_not():
    with Refusing(None, GOOD) as service, Client(service.url, retries=1) as cotag:
        assert cotag.corpora() == {"corpora": []}
    with Refusing(None, GOOD) as service, Client(service.url, retries=1) as cotag:
        with pytest.raises(NoAnswer):
            cotag.post_documents("pushed", "{}")
        assert service.asked == 1


def test_a_service_that_is_not_there_is_named():
    with Client(f"http://127.0.0.1:{free_port()}", retries=0) as cotag, pytest.raises(NoAnswer, match="1 tries"):
        cotag.healthz()


def test_the_async_client_comes_again_too():
    async def ask(url):
        async with AsyncClient(url, retries=1) as cotag:
            return await cotag.corpora()

    with Refusing((503, SOON, b"{}"), GOOD) as service:
        assert asyncio.run(ask(service.url)) == {"corpora": []}
