"""The npm package: its own tests against a running service, its types, and what it ships. They need Node."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.needs import missing
from tests.waiting import DEADLINE

PACKAGE = Path(__file__).parents[2] / "clients" / "js"

pytestmark = pytest.mark.slow


def run(*command, cwd, **environment):
    full = {**os.environ, **environment}
    done = subprocess.run(
        command, cwd=cwd, env=full, capture_output=True, text=True, timeout=10 * DEADLINE, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def package(tmp_path_factory):
    """A copy of the package with what its tests need installed."""
    if shutil.which("npm") is None:
        missing("Node with npm (apt-get install nodejs npm)")
    folder = tmp_path_factory.mktemp("js") / "js"
    shutil.copytree(PACKAGE, folder, ignore=shutil.ignore_patterns("node_modules"))
    run("npm", "install", "--no-audit", "--no-fund", cwd=folder)
    return folder


def test_the_client_asks_a_running_service(package, served):
    report = run("npm", "test", cwd=package, COTAG_URL=served.url, COTAG_CORPUS="topics")
    assert "# fail 0" in report
    assert "# skipped 0" in report


def test_a_typescript_project_finds_every_type(package):
    """Wrong uses are marked in the file that is compiled: it also fails when they are accepted."""
    run("npm", "run", "types", cwd=package)


def test_it_ships_every_module_that_it_names_and_no_test(package):
    (packed,) = json.loads(run("npm", "pack", "--dry-run", "--json", cwd=package))
    files = {each["path"] for each in packed["files"]}
    exported = json.loads((package / "package.json").read_text())["exports"].values()
    assert {path.removeprefix("./") for entry in exported for path in entry.values()} <= files
    assert not [path for path in files if path.startswith("test/")]
