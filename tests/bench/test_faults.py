"""The clients of bench.system.faults count what fails and nothing else; the table has every fault once."""

import http.server
import threading

import pytest

from bench.system.faults.catalogue import FAULTS
from bench.system.faults.clients import READS_A_CONNECTION, Pusher, Reader
from bench.system.faults.trying import COLUMNS, Outcome, row, table
from tests.waiting import wait_until


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    asked = 0

    def do_GET(self):
        """Close a kept connection without an answer at every seventh request; refuse /bad."""
        type(self).asked += 1
        if type(self).asked % 7 == 0:
            self.close_connection = True
            return
        self.send_response(503 if self.path == "/bad" else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self):
        """Accept every second document."""
        self.rfile.read(int(self.headers["Content-Length"]))
        type(self).asked += 1
        self.send_response(200 if type(self).asked % 2 else 503)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def server():
    Handler.asked = 0
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def test_a_kept_connection_that_closes_is_asked_again_and_no_failure(server):
    reader = Reader((server,), ["/good"], 0.001)
    reader.start()
    wait_until(lambda: reader.counts.sent > 3 * READS_A_CONNECTION, "reads")
    reader.stop()
    assert reader.counts.reasons == []
    assert Handler.asked > reader.counts.sent


def test_refused_reads_fail_once_each(server):
    reader = Reader((server,), ["/bad"], 0.001)
    reader.start()
    wait_until(lambda: reader.counts.sent > 10, "reads")
    reader.stop()
    assert reader.counts.failed == reader.counts.sent == len(reader.counts.reasons)


def test_a_server_that_is_away_fails_reads():
    reader = Reader((1,), ["/"], 0.001)
    reader.start()
    wait_until(lambda: reader.counts.sent > 3, "reads")
    reader.stop()
    assert reader.counts.failed == reader.counts.sent


def test_only_accepted_pushes_count(server):
    pusher = Pusher((server,), "live", "key", 0.001)
    pusher.start()
    wait_until(lambda: pusher.refused > 3, "pushes")
    pusher.stop()
    assert pusher.accepted[:3] == ["p0", "p2", "p4"]


def test_the_table_has_a_cell_for_every_column():
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    lines = table(row(Outcome(fault, 1000, 0, 0.5, 7, 0, 2.0)) for fault in FAULTS).splitlines()
    assert {line.count("|") for line in lines} == {len(COLUMNS) + 1}
    assert len(lines) == len(FAULTS) + 2
