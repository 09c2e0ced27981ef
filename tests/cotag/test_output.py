"""What `cotag up` prints: for people with the part in front, for machines with the part inside."""

import json
import os

import pytest

from cotag.launcher.output import Output
from runtime.log_writer import BUFFER_BYTES
from tests.waiting import wait_until


@pytest.fixture
def printed():
    """Prints with an output, and returns the lines."""

    def collect(log_format, print_lines):
        reading, writing = os.pipe()
        output = Output(log_format, writing)
        print_lines(output)
        output.close()
        output._writer._thread.join()
        os.close(writing)
        with open(reading, "rb") as lines:  # noqa: PTH123 - a descriptor
            return lines.read().splitlines()

    return collect


def test_for_people_the_part_is_in_front(printed):
    def print_lines(output):
        output.say("ready")
        output.forward("worker", b"12:00 begun\n")
        output.forward("scheduler", b"a line that was cut of\xff")
        output.forward("store", b'{"part": "x"}\n')

    assert printed("console", print_lines) == [
        b"cotag     | ready",
        b"worker    | 12:00 begun",
        b"scheduler | a line that was cut of\xff",
        b'store     | {"part": "x"}',
    ]


def test_a_json_line_of_a_part_stays_as_it_is(printed):
    line = b'{"event": "begun", "level": "info", "part": "worker"}\n'
    assert printed("json", lambda output: output.forward("worker", line)) == [line.rstrip()]


@pytest.mark.parametrize(
    "line",
    [
        b"Traceback (most recent call last):",
        b"",
        b"7",
        b'["part"]',
        b'{"event": "x"}',
        b'{"part": "w',
        b"\xff\xfe \x00",
    ],
)
def test_any_other_line_becomes_one(printed, line):
    (wrapped,) = printed("json", lambda output: output.forward("store", line + b"\n"))
    fields = json.loads(wrapped)
    assert (fields["part"], fields["level"]) == ("store", "warning")
    assert fields["event"] == line.decode(errors="replace")
    assert fields["timestamp"].endswith("Z")


def test_the_launchers_own_lines_are_json_too(printed):
    def print_lines(output):
        output.say("ready")
        output.say("worker ended", "warning")

    lines = [json.loads(line) for line in printed("json", print_lines)]
    assert [(line["part"], line["level"], line["event"]) for line in lines] == [
        ("up", "info", "ready"),
        ("up", "warning", "worker ended"),
    ]


@pytest.mark.parametrize(("log_format", "expected"), [("json", '"event":"1 lines'), ("console", "cotag     | 1 lines")])
def test_lost_lines_are_reported_in_the_same_form(printed, log_format, expected):
    def print_lines(output):
        output.forward("worker", b"x" * BUFFER_BYTES)
        wait_until(lambda: output._writer._lost == 0, "the report")

    (line,) = printed(log_format, print_lines)
    assert expected in line.decode()
