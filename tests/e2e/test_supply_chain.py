"""What Cotag installs is listed, pinned by hash, and has no known vulnerability."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.needs import missing

ROOT = Path(__file__).parents[2]


def hashes():
    spec = importlib.util.spec_from_file_location("hashes", ROOT / "deploy" / "hashes.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_archive_of_a_report_is_pinned_by_its_hash():
    report = {
        "install": [
            {
                "metadata": {"name": "Flask", "version": "3.1"},
                "download_info": {"url": "https://somewhere/flask.whl", "archive_info": {"hashes": {"sha256": "ab"}}},
            },
            {"metadata": {"name": "cotag", "version": "0.2.0"}, "download_info": {"dir_info": {}}},
        ]
    }
    assert hashes().requirements(report) == ["flask==3.1 --hash=sha256:ab"], "no address of a registry, not the project"


@pytest.mark.nightly
def test_no_constraint_has_a_known_vulnerability():
    """Where the database of vulnerabilities can be reached; elsewhere the test says so."""
    program = Path(sys.executable).with_name("pip-audit")
    if shutil.which(program) is None:
        missing("pip-audit")
    command = [program, "--no-deps", "--disable-pip", "--progress-spinner", "off", "-r", ROOT / "constraints.txt"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    if any(
        sign in told.stderr
        for sign in ("ConnectionError", "ConnectTimeout", "Max retries", "ServiceError", "HTTPError")
    ):
        pytest.skip("the database of vulnerabilities cannot be reached")
    assert told.returncode == 0, told.stdout[-3000:] + told.stderr[-1000:]
