"""The rules of the house, each proved by breaking it once."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("cocluster", "snapshot", "worker", "service", "cotag", "demo")


LINT = """
import contextlib, io, json, sys
from pathlib import Path
from importlinter.application import output
from importlinter.cli import lint_imports

def linted():
    with contextlib.redirect_stdout(io.StringIO()) as text:
        output.console.file = text
        code = lint_imports(cache_dir="cache")
    return code, text.getvalue()

outcomes = [linted()]
for module, imported, _ in json.loads(sys.argv[1]):
    path = Path(module)
    before = path.read_text()
    path.write_text(before + f"\\nimport {imported}\\n")
    outcomes.append(linted())
    path.write_text(before)
print(json.dumps(outcomes))
"""
"""The house as it is, and then with each wrong import for itself: one process, which reads only what has changed."""

WRONG = [
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
]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """Exit code and report for the house as it is (None) and for each wrong import."""
    house = tmp_path_factory.mktemp("house")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, house / package, ignore=shutil.ignore_patterns("__pycache__", "*.gz"))
    shutil.copy(ROOT / "pyproject.toml", house)
    result = subprocess.run(
        [sys.executable, "-c", LINT, json.dumps(WRONG)],
        cwd=house,
        env={"PYTHONPATH": str(house), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(zip([None, *WRONG], json.loads(result.stdout), strict=True))


def test_the_house_stands(outcomes):
    code, report = outcomes[None]
    assert code == 0, report
    assert "Contracts: 5 kept, 0 broken." in report


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: f"{wrong[0]}-{wrong[1]}")
def test_a_wrong_import_breaks_its_contract(outcomes, wrong):
    module, imported, contract = wrong
    code, report = outcomes[wrong]
    assert code != 0
    assert f"{contract} BROKEN" in report
    importer = module.removesuffix(".py").replace("/", ".")
    assert f"{importer} -> {imported.partition('.')[0]}" in report, "for this import"


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
