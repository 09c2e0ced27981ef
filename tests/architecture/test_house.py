"""The rules of the house, each proved by breaking it once."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("cocluster", "snapshot", "worker", "service", "cotag", "demo")


def linted(folder):
    return subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()", "--no-cache"],
        cwd=folder,
        env={"PYTHONPATH": str(folder), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def house(tmp_path):
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__", "*.gz"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_house_stands(house):
    result = linted(house)
    assert result.returncode == 0, result.stdout
    assert "Contracts: 5 kept, 0 broken." in result.stdout


@pytest.mark.parametrize(
    ("module", "imported", "contract"),
    [
        ("snapshot/schema.py", "worker.job", "Every room knows only the rooms below it"),
        ("service/cloud.py", "worker.labels", "Every room knows only the rooms below it"),
        ("worker/job.py", "service.app", "Every room knows only the rooms below it"),
        ("cocluster/cut.py", "snapshot.schema", "Every room knows only the rooms below it"),
        ("worker/job.py", "cotag.up", "Every room knows only the rooms below it"),
        ("service/view.py", "scipy.sparse", "Service and snapshot never load scipy or numba"),
        ("snapshot/codec.py", "numba", "Service and snapshot never load scipy or numba"),
        ("worker/labels.py", "flask", "The worker never loads the web framework"),
        ("cocluster/cut.py", "redis", "cocluster is pure: no I/O, clock, environment or logging"),
        ("cocluster/cut.py", "time", "cocluster is pure: no I/O, clock, environment or logging"),
        ("snapshot/codec.py", "pickle", "Nothing is unpickled"),
    ],
)
def test_a_wrong_import_breaks_its_contract(house, module, imported, contract):
    with (house / module).open("a") as file:
        file.write(f"\nimport {imported}\n")
    result = linted(house)
    assert result.returncode != 0
    assert f"{contract} BROKEN" in result.stdout


@pytest.mark.parametrize(
    ("imported", "never"),
    [
        ("service.server", ("scipy", "numba", "joblib", "rq", "cocluster", "worker")),
        ("worker.job, worker.schedule", ("flask", "gunicorn", "service")),
        ("cotag.cli", ("flask", "scipy", "numba", "rq", "psutil")),
    ],
)
def test_what_a_process_really_loads(imported, never):
    code = f"import sys, {imported}; print(sorted({{name.partition('.')[0] for name in sys.modules}} & set({never!r})))"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_nothing_connects_or_reads_settings_when_imported(tmp_path):
    code = "import worker.job, worker.schedule, worker.queue, service.app, service.server, cotag.up"
    environment = {"COTAG_PORT": "nonsense", "COTAG_REDIS_URL": "nonsense", "PATH": "/usr/bin"}
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True)


def test_sources_name_no_machine_and_no_registry():
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    texts = [ROOT / name for name in files if not name.endswith((".gz", ".png", ".npz"))]
    pattern = re.compile(r"files\.pythonhosted|registry\.npmjs|pypi\.org/simple|/root/|/home/\w+/")
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in texts
        if path.is_file() and path != Path(__file__) and (match := pattern.search(path.read_text()))
    ]
    assert found == []
