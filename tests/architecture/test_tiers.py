"""What `make check` may not do, a test that it runs cannot do."""

import subprocess
import sys

import pytest

COMMANDS = [
    [sys.executable, "-m", "cotag", "up"],
    [sys.executable, "-m", "cotag", "serve"],
    [sys.executable, "-m", "venv", "somewhere"],
    [sys.executable, "-m", "gunicorn"],
    ["chromium", "--headless"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[-2:]))
def test_a_quick_test_starts_nothing_whole(command, tmp_path):
    with pytest.raises(RuntimeError, match="needs the marker slow"):
        subprocess.run([*command, "--version"], cwd=tmp_path, check=False)


@pytest.mark.slow
def test_a_slow_test_may(tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--help"], cwd=tmp_path, capture_output=True, check=True)
