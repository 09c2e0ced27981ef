"""What `make dist` makes can be installed: the archives are checked, and each is installed in a fresh environment."""

import re
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """Made and checked by the commands of `make dist`, without an environment of its own for the build."""
    folder = tmp_path_factory.mktemp("dist")
    commands = re.findall(
        r"^\t\$\(BIN\)/python (-m (?:build|twine) .*)$", (ROOT / "Makefile").read_text(), re.MULTILINE
    )
    build, check = (command.split() for command in commands)
    assert build == ["-m", "build", "--outdir", "dist"]
    subprocess.run([sys.executable, *build[:2], "--outdir", str(folder), str(ROOT)], check=True, capture_output=True)
    names = sorted(map(str, folder.iterdir()))
    checked = subprocess.run([sys.executable, *check[:-1], *names], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout
    assert checked.stdout.count("PASSED") == 2
    return names


def test_the_archives_have_the_name_of_the_version(archives):
    assert [Path(name).name for name in archives] == [f"cotag-{VERSION}-py3-none-any.whl", f"cotag-{VERSION}.tar.gz"]


def test_the_source_archive_has_no_data_of_this_machine(archives):
    with tarfile.open(archives[1]) as archive:
        tops = {name.split("/")[1] for name in archive.getnames() if "/" in name}
    assert {"cotag", "service", "worker", "docs", "tests", "pyproject.toml"} <= tops
    assert not tops & {".venv", ".cotag", "build", "dist", ".git"}


@pytest.mark.parametrize("kind", [0, 1], ids=["wheel", "sdist"])
def test_it_is_installed_in_a_fresh_environment_and_clusters(archives, kind, tmp_path):
    """With the library's extra alone, as a stranger would begin."""
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    pip = [str(environment / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "-c", str(ROOT / "constraints.txt"), f"{archives[kind]}[library]"], check=True, cwd=tmp_path)
    shown = subprocess.run(
        [str(environment / "bin" / "cotag"), "--version"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert VERSION in shown.stdout
    script = "import demo, service, worker; from tagmodel import Dendrogram; from cocluster import CoClustering"
    subprocess.run([str(environment / "bin" / "python"), "-c", script], cwd=tmp_path, check=True)
