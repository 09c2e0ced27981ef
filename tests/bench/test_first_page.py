"""The measurement of first pages counts what travels, and notices requests to other hosts."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from bench.service.first_page import Traffic, Visit, chromium, chromium_binary, outside, table, twice
from tests.needs import missing

SERVICE = "http://127.0.0.1:8000"
PAGE = b'<!doctype html><link rel="icon" href="data:,"><link rel="stylesheet" href="/kept.css"><p>A page.'
STYLE = b"p { color: green }"


def visit(**figures):
    return Visit(**{"requests": 1, "outside": 0, "bytes": 0, "html_bytes": 0, "ready_ms": 0, "load_ms": 0, **figures})


def test_what_the_cache_answers_does_not_travel():
    traffic = Traffic(SERVICE)
    for number, address in enumerate(["/", "/in-memory.css", "/on-disk.css", "/fetched.css"]):
        kind = "Stylesheet" if number else "Document"
        traffic.sent({"requestId": str(number), "type": kind, "request": {"url": f"{SERVICE}{address}"}})
    traffic.served_from_cache({"requestId": "1"})
    for number in range(4):
        traffic.answered({"requestId": str(number), "response": {"fromDiskCache": number == 2}})
        traffic.finished({"requestId": str(number), "encodedDataLength": 10.0**number})
    assert traffic.visit(3.0, 4.0) == Visit(requests=2, outside=0, bytes=1001, html_bytes=1, ready_ms=3.0, load_ms=4.0)


def test_requests_to_other_hosts_are_counted_and_data_in_the_page_is_none():
    traffic = Traffic(SERVICE)
    for address in (f"{SERVICE}/", f"{SERVICE}0/", "https://fonts.example/a.woff", "data:,", "blob:x"):
        traffic.sent({"requestId": address, "type": "Other", "request": {"url": address}})
    seen = traffic.visit(0.0, 0.0)
    assert (seen.requests, seen.outside) == (3, 2)
    assert outside({"/": [(seen, visit(outside=1)), (visit(), visit())]}) == 3


def test_the_table_has_the_medians_of_both_visits():
    pairs = [
        (visit(requests=7, bytes=10_000 + more, html_bytes=3_000, ready_ms=50 + more, load_ms=60), visit(bytes=180))
        for more in (0, 90, 2)
    ]
    assert table({"map": pairs}, "Made so.").splitlines()[2:] == [
        "| map | 7 | 10.0 | 3.0 | 52 | 60 | 1 | 0.2 | 0.0 | 0 | 0 |",
        "",
        "Made so.",
    ]


class Pages(BaseHTTPRequestHandler):
    """A page that browsers ask for again, with a style that they keep."""

    def do_GET(self):
        body, kind, kept = (
            (STYLE, "text/css", "max-age=600") if self.path == "/kept.css" else (PAGE, "text/html", "no-store")
        )
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", kept)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def site():
    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.slow
def test_a_second_visit_asks_only_for_what_the_browser_did_not_keep(site):
    if chromium_binary() is None:
        missing("chromium (apt-get install chromium)")
    with chromium() as browser:
        first, again = twice(browser, site, "/")
        other, _ = twice(browser, site, "/")
    assert (first.requests, again.requests, other.requests) == (2, 1, 2), "every first visit has an empty cache"
    assert first.bytes > first.html_bytes > len(PAGE), "headers count"
    assert again.bytes == again.html_bytes == first.html_bytes
    assert 0 < first.ready_ms <= first.load_ms
    assert {first.outside, again.outside} == {0}
