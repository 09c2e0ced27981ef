"""Names with newlines and escape sequences, in both formats of the log: one event is one line."""

import json
import subprocess
import sys

import pytest

HOSTILE = "tag\n2026-01-01 00:00:00 [error    ] forged\r\x1b[2J\u2028\x85end"
PROGRAM = """
import sys
import logging
import structlog
from cotag.logs import configure
from snapshot import StoreSettings
hostile = sys.argv[2]
writer = configure(StoreSettings(log_format=sys.argv[1]), "worker")
structlog.get_logger().warning("unreadable", tag=hostile, ids=[hostile], found={hostile: 1})
structlog.get_logger().warning(hostile)
logging.getLogger("library").warning("bad id %s", hostile)
writer.flush()
"""


@pytest.mark.parametrize("kind", ["json", "console"])
def test_a_name_makes_no_line_of_its_own(kind):
    command = [sys.executable, "-c", PROGRAM, kind, HOSTILE]
    out = subprocess.run(command, check=True, capture_output=True).stdout.decode()
    lines = out.splitlines()  # also at U+2028 and U+0085
    assert len(lines) == 3
    assert all(character.isprintable() for line in lines for character in line)
    assert sum("forged" in line for line in lines) == 3
    if kind == "json":
        assert json.loads(lines[0])["tag"] == HOSTILE
