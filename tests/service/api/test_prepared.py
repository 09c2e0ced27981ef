"""Answers about single tags are there before anybody asks."""

import asyncio
import sys
import tracemalloc
from urllib.parse import quote

import pytest

from service.api import prepared
from service.app import create_gateway
from service.response_cache import CachedResponse, ResponseCache
from service.settings import ServiceSettings
from service.web.metrics import Metrics
from tests.clustered import NOON, published
from tests.service.asking import ask, ask_async, run
from tests.waiting import DEADLINE

RELATED, CLOUD = "/v1/corpora/small/related", "/v1/corpora/small/cloud"


def is_ready(gateway, corpus):
    """Whether all answers about the current version of a corpus are ready that there is memory for."""
    return gateway.preparation._done.get(corpus) is gateway.preparation._live.held(corpus)


async def started(gateway):
    """The process from its start to its end, as a server tells the application: a coroutine to end it."""
    messages = asyncio.Queue()
    await messages.put({"type": "lifespan.startup"})
    answered = asyncio.Queue()
    life = asyncio.ensure_future(gateway({"type": "lifespan"}, messages.get, answered.put))
    assert (await answered.get())["type"] == "lifespan.startup.complete"

    async def end():
        await messages.put({"type": "lifespan.shutdown"})
        await life

    return end


async def until(condition):
    async with asyncio.timeout(DEADLINE):
        while not condition():
            await asyncio.sleep(0.01)


@pytest.fixture
def metrics():
    return Metrics()


@pytest.fixture
def gateway(environment, live, redis, metrics):
    return create_gateway(live, redis, ServiceSettings(), metrics)


def misses(metrics):
    return metrics.registry.get_sample_value("cotag_answer_cache_total", {"result": "miss"})


def test_every_tag_has_its_answers_ready_in_both_spellings_of_a_space(gateway, live, metrics):
    view = live.view("small")
    unprepared = {tag: ask(gateway, f"{RELATED}?tag={quote(tag)}") for tag in view.snapshot.names}
    before = misses(metrics)
    view.answers = ResponseCache(1_000_000)

    async def scenario():
        end = await started(gateway)
        await until(lambda: is_ready(gateway, "small"))
        for tag in view.snapshot.names:
            for address in (RELATED, CLOUD):
                for spelling in (quote(tag), quote(tag).replace("%20", "+")):
                    answered = await ask_async(gateway, f"{address}?tag={spelling}")
                    assert answered.status == 200
                    if address == RELATED:
                        assert answered.body == unprepared[tag].body
                        assert answered.headers["etag"] == unprepared[tag].headers["etag"]
        await end()

    run(scenario())
    assert misses(metrics) == before
    assert any(" " in tag for tag in view.snapshot.names)


def test_the_commonest_tags_come_first_and_the_memory_ends_it(environment, live, redis, monkeypatch):
    gateway = create_gateway(live, redis, ServiceSettings(), Metrics())
    gateway.preparation._capacity = 5000
    view = live.view("small")

    async def scenario():
        end = await started(gateway)
        await until(lambda: is_ready(gateway, "small"))
        await end()

    run(scenario())
    ready = [tag for tag in view.by_count if view.answers.get(f"{RELATED}?tag={quote(view.snapshot.names[tag])}")]
    assert ready == view.by_count[: len(ready)]
    assert 0 < len(ready) < len(view.by_count)
    assert view.answers.prepared_bytes < 5000 + 2 * max(answer.bytes for answer in view.answers._prepared.values())


def test_none_are_made_ready_if_there_is_no_memory_for_them(environment, live, redis):
    gateway = create_gateway(live, redis, ServiceSettings(prepared_answers_mb=0), Metrics())

    async def scenario():
        end = await started(gateway)
        await asyncio.sleep(0)
        await end()

    run(scenario())
    assert not live.view("small").answers.prepared_bytes


def test_a_newer_version_stops_the_one_before(gateway, live, store, monkeypatch):
    """The first slice publishes the next version; only that one is then made ready."""
    monkeypatch.setattr(prepared, "SLICE_SECONDS", 0.0)
    first = live.view("small")

    async def scenario():
        end = await started(gateway)
        await until(lambda: first.answers.prepared_bytes)
        store.publish(published(NOON.replace(hour=13)))
        live.refresh()
        await until(lambda: is_ready(gateway, "small"))
        await end()

    run(scenario())
    second = live.view("small")
    assert second is not first
    assert len(first.answers._prepared) < len(second.answers._prepared) == 2 * len(second.by_count)


def test_requests_are_answered_between_slices(gateway, monkeypatch):
    monkeypatch.setattr(prepared, "SLICE_SECONDS", 0.0)
    seen = []

    async def scenario():
        end = await started(gateway)
        while not is_ready(gateway, "small"):
            seen.append((await ask_async(gateway, "/healthz")).status)
            await asyncio.sleep(0)
        await end()

    run(scenario())
    assert len(seen) > 5
    assert set(seen) == {200}


def test_an_answer_that_fails_does_not_stop_the_others(gateway, live, monkeypatch, capsys):
    answerer = gateway.preparation._answerers[0]
    make = answerer.make
    failed = []

    def fails_once(*arguments):
        if not failed:
            failed.append(1)
            raise ValueError("no answer")
        return make(*arguments)

    monkeypatch.setattr(answerer, "make", fails_once)

    async def scenario():
        end = await started(gateway)
        await until(lambda: is_ready(gateway, "small"))
        await end()

    run(scenario())
    assert len(live.view("small").answers._prepared) == 2 * len(live.view("small").by_count) - 1
    assert "cannot make an answer ready" in capsys.readouterr().out


def test_the_cache_counts_its_memory_honestly():
    """Within a tenth of what Python allocates, compressed forms included."""
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    cache = ResponseCache(10**9)
    for number in range(2000):
        key = f"/v1/corpora/small/cloud?tag=some-tag-{number}"
        answer = CachedResponse(b'{"tag": "%d"},' % number * 100, f"20261116T120000.000Z-{number:016x}")
        (cache.put if number % 2 else cache.put_prepared)(key, answer)
        answer.coded("br" if number % 3 else "gzip")
    allocated = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert sys.getsizeof(cache._responses) > 0
    assert cache.bytes == pytest.approx(allocated, rel=0.1)


def test_a_full_cache_drops_the_oldest_but_nothing_that_was_made_ready():
    cache = ResponseCache(40_000)
    body = bytes(1000)
    cache.put_prepared("ready", CachedResponse(body, "ready"))
    answers = {str(number): CachedResponse(body, str(number)) for number in range(100)}
    for key, answer in answers.items():
        cache.put(key, answer)
    assert cache.bytes <= 40_000
    assert cache.get("ready")
    assert cache.get("99")
    assert cache.get("0") is None
    held = cache.bytes
    size = len(answers["99"].coded("gzip"))
    assert cache.bytes == held + size or cache.get("99") is not None
    answers["0"].coded("gzip")
    assert cache.bytes <= held + size
