"""Everything a process logs goes through one writer, in one format."""

import json
import os
import subprocess
import sys

import pytest

PROGRAM = """
import logging, os, sys
import structlog
from cotag.logs import configure
from snapshot import StoreSettings
writer = configure(StoreSettings(log_format=sys.argv[1]), "worker")
structlog.get_logger().info("one", corpus="demo")
logging.getLogger("gunicorn.error").warning("two %s", "\\udcff")
try:
    1 / 0
except ZeroDivisionError:
    logging.getLogger("distributed").exception("three")
writer.write(b"x" * 2_000_000)
"""


def logged(log_format, environment=None):
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, log_format], check=True, capture_output=True, env=environment or os.environ
    )
    assert ended.stderr == b""
    return ended.stdout


def test_json_lines_have_time_level_event_and_part_and_say_how_many_were_lost():
    lines = [json.loads(line) for line in logged("json").splitlines()]
    assert [(line["event"], line["level"]) for line in lines] == [
        ("one", "info"),
        ("two \udcff", "warning"),
        ("three", "error"),
        ("1 log lines were lost", "warning"),
    ]
    assert all(line["part"] == "worker" and line["timestamp"].endswith("Z") for line in lines)
    assert lines[0]["corpus"] == "demo"
    assert "ZeroDivisionError" in lines[2]["exception"]


def test_lines_for_people():
    first, second, third, *traceback, lost = logged("console").decode().splitlines()
    assert first.endswith("[info] one corpus=demo")
    assert second.endswith("[warning] two \\udcff")
    assert third.endswith("[error] three")
    assert any("ZeroDivisionError" in line for line in traceback)
    assert lost.endswith("[warning] 1 log lines were lost")


@pytest.mark.parametrize("log_format", ["json", "console"])
def test_a_process_whose_output_is_closed_goes_on(log_format):
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run([sys.executable, "-c", PROGRAM, log_format], check=False, stdout=writing, stderr=-1)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, b"")


REQUESTS = """
import re, sys
import structlog
from cotag.logs import configure
from runtime.log_writer import LogWriter
from service.settings import ServiceSettings
from service.web.policy.request_log import log_request, request_logger
settings = ServiceSettings(log_format="console")
writer = configure(settings, "service")
fast = request_logger(settings, writer)
for path in ["/v1/corpora", "/v1/corpora/a b/cloud", "/x='y'", "/é", "/\\r\\x1b[2J\\u2028\\x85", "/\\udcff", ""]:
    for log in (log_request, fast):
        log({"method": "GET", "path": path, "status": 200, "ms": 0.31, "request_id": "x" * 16})
writer.flush()
"""


def test_requests_are_logged_for_people_as_everything_else_is():
    """The quick line and structlog's are the same bytes but for the time, whatever the path."""
    done = subprocess.run([sys.executable, "-c", REQUESTS], check=True, capture_output=True)
    lines = [line.partition(" ")[2] for line in done.stdout.decode().splitlines()]
    assert len(lines) == 14
    assert lines[::2] == lines[1::2]
    assert lines[0] == "[info] request method=GET ms=0.31 path=/v1/corpora request_id=xxxxxxxxxxxxxxxx status=200"
