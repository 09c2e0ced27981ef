"""The operators' page in a real browser, with real runs."""

import itertools
import re

import psutil
import pytest
from playwright.sync_api import expect

from snapshot import Heartbeats, StatusBoard, connect
from snapshot.store import keys
from tests.browser.conftest import KEY, expected, icons
from tests.conftest import topic_documents, write_jsonl
from tests.waiting import wait_until


def corpus(page, name="icons"):
    return page.locator(f"#corpus-{name}")


def renewed(page):
    """Wait until the page has renewed itself, by which it shows more requests than before."""
    requests = page.locator(".tiles div", has_text="Requests").locator("dd")
    expect(requests).not_to_have_text(requests.text_content())


def started(page, name, title):
    page.get_by_label("API key").fill(KEY)
    corpus(page, name).get_by_role("button", name="Re-cluster now").click()
    expect(page.locator("#announcement")).to_have_text(f"A run of {title} was asked for")


def keep_alive(redis, name):
    """Keep what a stopped run and its worker cannot renew; whoever finds it gone takes both for dead."""
    redis.persist(keys.lock(name))
    for heartbeat in Heartbeats(redis).read():
        redis.persist(keys.heartbeat(heartbeat.name))


@pytest.fixture
def held(served):
    """Stops the worker with all it has started while a corpus is at a stage; afterwards lets it go on."""
    stopped, redis = [], connect(served.store_url)
    board = StatusBoard(redis)

    def hold(name, stage, begin):
        """Begins runs until one is caught at the stage: on a busy machine some are past it before they are stopped."""

        def there():
            run = board.read(name)
            return run.state == "running" and run.stage == stage

        def caught():
            job = board.read(name).job
            begin()
            wait_until(lambda: there() or passed(job), f"the run of {name} at {stage}", pause=0.005)
            worker = psutil.Process(served.pid("worker"))
            for process in [worker, *worker.children(recursive=True)]:
                process.suspend()
                stopped.append(process)
            if there():
                keep_alive(redis, name)
                return True
            release()
            wait_until(lambda: passed(job), "the end of a run that was too quick")
            return False

        def passed(job):
            run = board.read(name)
            return run.job != job and run.state not in {"queued", "running"}

        wait_until(caught, f"a run of {name} held at {stage}")

    def release():
        while stopped:
            stopped.pop().resume()

    hold.release = release
    yield hold
    release()
    for name in ("topics", "changing", "icons"):
        wait_until(lambda name=name: board.read(name).state != "running", "the end")


def test_corpora_with_versions_schedules_and_metrics(page, keep, accessible):
    page.goto("/ops")
    for name in ("topics", "icons"):
        expect(corpus(page, name)).to_contain_text(re.compile(r"Version\s*20\d{6}T\d{6}"))
        expect(corpus(page, name)).to_contain_text("Next run")
        assert corpus(page, name).locator("tbody tr").count() >= 1
    expect(page.locator(".tiles")).to_contain_text("answers")
    expect(page.locator(".parts li")).to_have_text([re.compile("Scheduler on"), re.compile("Worker on")])
    renewed(page)
    accessible(page)
    keep(page, "ops")


def test_a_run_is_followed_live_and_can_be_cancelled(page, served, held, keep, accessible):
    left_out = itertools.count(7)

    def begin():
        write_jsonl(served.data.parent / "icons.jsonl", icons(left_out=next(left_out)))
        page.goto("/ops")
        started(page, "icons", "Icons and their keywords")

    held("icons", "agglomerate", begin)
    now = corpus(page).locator("[aria-current=step]")
    expect(now).to_contain_text("agglomerate")
    expect(corpus(page).locator(".stages .done")).to_have_count(3)
    expect(now.get_by_role("progressbar")).to_be_visible()
    expect(corpus(page).locator(".pill").first).to_have_text("running")
    accessible(page)
    keep(page, "ops-running")
    corpus(page).get_by_role("button", name="Cancel").click()
    expect(page.locator("#announcement")).to_contain_text("was asked to stop")
    held.release()
    expect(corpus(page)).to_contain_text("Last run: cancelled")


def test_a_run_ends_in_a_new_version_with_its_lineage(page, served, keep):
    before = served.version("icons")
    write_jsonl(served.data.parent / "icons.jsonl", icons(left_out=20))
    page.goto("/ops")
    rows = corpus(page).locator("tbody tr")
    count = rows.count()
    started(page, "icons", "Icons and their keywords")
    expect(rows).to_have_count(count + 1)
    expect(corpus(page)).to_contain_text("Last run: done")
    served.everywhere(lambda ready: ready["corpora"]["icons"] > before, "serving the new version")
    expect(rows.first.locator(".pill")).to_have_text("served")
    expect(rows.first).to_contain_text(re.compile(r"\d+ kept"))
    details = rows.first.locator("details")
    if details.count():
        details.locator("summary").click()
        renewed(page)
        expect(details).to_have_attribute("open", "")
    keep(page, "ops-history")


def test_rolling_back_needs_a_key_and_a_yes(page, served, keep, accessible):
    before = served.version("changing")
    write_jsonl(served.data.parent / "changing.jsonl", topic_documents(count=240, seed=1))
    page.goto("/ops")
    rows = corpus(page, "changing").locator("tbody tr")
    count = rows.count()
    started(page, "changing", "Topics that change")
    expect(rows).to_have_count(count + 1)
    served.everywhere(lambda ready: ready["corpora"]["changing"] > before, "serving the new version")
    newest = served.version("changing")
    page.reload()
    back = rows.nth(1).get_by_role("button", name="Roll back")
    back.click()
    expect(page.get_by_role("alert")).to_contain_text("Type an API key first")
    expect(page.get_by_label("API key")).to_be_focused()
    page.get_by_label("API key").fill("wrong")
    back.click()
    page.get_by_role("dialog").get_by_role("button", name="Yes").click()
    expect(page.get_by_role("alert")).to_contain_text("This key may not change anything")
    page.get_by_label("API key").fill(KEY)
    expected(page, "401")  # of the button, and of the page, which renewed itself with the wrong key
    back.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Serve version")
    accessible(page)
    keep(page, "ops-roll-back", whole=False)
    dialog.get_by_role("button", name="No").click()
    expect(dialog).to_be_hidden()
    assert served.version("changing") == newest
    back.click()
    dialog.get_by_role("button", name="Yes").click()
    expect(page.locator("#announcement")).to_contain_text("is served from now on")
    expect(rows.nth(1).locator(".pill")).to_have_text("served")
    expect(rows.first.get_by_role("button", name="Roll forward")).to_be_visible()
    served.everywhere(lambda ready: ready["corpora"]["changing"] < newest, "serving the version before")
    rows.first.get_by_role("button", name="Roll forward").click()
    dialog.get_by_role("button", name="Yes").click()
    served.everywhere(lambda ready: ready["corpora"]["changing"] == newest, "serving the newest version again")


def test_it_shows_all_without_javascript_and_on_a_phone(visitor, keep, accessible):
    plain = visitor(java_script_enabled=False)
    plain.goto("/ops")
    expect(corpus(plain)).to_contain_text("every 24 hours")
    expect(plain.get_by_label("API key")).to_be_hidden()
    expect(plain.get_by_text("cotag snapshots NAME activate VERSION")).to_be_visible()
    phone = visitor(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True, color_scheme="dark")
    phone.goto("/ops")
    assert phone.evaluate("document.documentElement.scrollWidth") == 360
    accessible(phone)
    keep(phone, "ops-phone")
