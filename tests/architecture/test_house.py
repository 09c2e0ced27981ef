"""The import contracts, each proved by breaking it, and other rules that all code follows."""

import ast
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("tagmodel", "runtime", "cocluster", "snapshot", "worker", "service", "cotag", "demo")


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

COTAG = "Rooms of cotag: commands and the launcher know nothing of each other"
SERVICE = "Rooms of the service: HTTP below knows no tags"
WORKER = "Rooms of the worker: sources know no vocabulary, clustering knows no run"
SNAPSHOT = "Rooms of the snapshot: what a version is knows neither edits nor store"
COCLUSTER = "Rooms of cocluster: the equations know nothing of fits and estimators"

WRONG = [
    ("snapshot/version/schema.py", "worker.runs.job", "A package imports only packages below it"),
    ("service/questions/clouds/cloud.py", "worker.clustering.concepts", "A package imports only packages below it"),
    ("worker/runs/job.py", "service.app", "A package imports only packages below it"),
    ("cocluster/equations/criterion.py", "snapshot.version.schema", "A package imports only packages below it"),
    ("tagmodel/curve.py", "cocluster.equations.criterion", "A package imports only packages below it"),
    ("tagmodel/partition.py", "snapshot.version.schema", "A package imports only packages below it"),
    ("worker/runs/job.py", "cotag.launcher.up", "A package imports only packages below it"),
    ("cotag/commands/jobs.py", "cotag.launcher.up", COTAG),
    ("cotag/launcher/up.py", "cotag.commands.tables", COTAG),
    ("service/questions/clouds/cloud.py", "service.web.http", "Questions, answers and views know no HTTP"),
    ("service/questions/related/related.py", "service.live.snapshots", SERVICE),
    ("service/view/view.py", "service.questions.clouds.cloud", SERVICE),
    ("service/web/http.py", "service.view.view", SERVICE),
    ("service/api/routing.py", "service.pages.blueprint", SERVICE),
    ("service/answers/clusters.py", "service.api.routing", SERVICE),
    ("service/pages/blueprint.py", "service.app", SERVICE),
    ("worker/sources/document.py", "worker.vocabulary.tag_corpus", WORKER),
    ("worker/clustering/cluster.py", "worker.runs.job", WORKER),
    ("worker/vocabulary/rules.py", "worker.corpora.declaration", WORKER),
    ("snapshot/version/schema.py", "snapshot.edits.edit", SNAPSHOT),
    ("snapshot/edits/edit.py", "snapshot.store.keys", SNAPSHOT),
    ("cocluster/equations/smoothing.py", "cocluster.fit.exact", COCLUSTER),
    ("cocluster/engine/side.py", "cocluster.equations.transition", COCLUSTER),
    ("cocluster/fit/plan.py", "cocluster.estimator.model", COCLUSTER),
    ("worker/runs/scheduler.py", "snapshot.store.keys", "Only the store names keys of Redis"),
    ("cotag/launcher/up.py", "snapshot.store.keys", "Only the store names keys of Redis"),
    ("tagmodel/dendrogram.py", "scipy.cluster", "tagmodel needs numpy and nothing else"),
    ("tagmodel/exports.py", "orjson", "tagmodel needs numpy and nothing else"),
    ("tagmodel/classifier.py", "pathlib", "tagmodel needs numpy and nothing else"),
    ("service/view/view.py", "scipy.sparse", "Service and snapshot never load scipy or numba"),
    ("snapshot/version/encoding/codec.py", "numba", "Service and snapshot never load scipy or numba"),
    ("worker/clustering/concepts.py", "flask", "The worker never loads the web framework"),
    ("cocluster/equations/criterion.py", "redis", "cocluster is pure: no I/O, clock, environment or logging"),
    ("cocluster/equations/criterion.py", "time", "cocluster is pure: no I/O, clock, environment or logging"),
    ("cocluster/files.py", "os", "cocluster is pure: no I/O, clock, environment or logging"),
    ("cocluster/plot.py", "pathlib", "cocluster is pure: no I/O, clock, environment or logging"),
    ("cocluster/estimator/summary.py", "matplotlib", "cocluster is pure: no I/O, clock, environment or logging"),
    ("cocluster/equations/criterion.py", "cocluster.files", "The pure part of cocluster uses neither files nor plot"),
    ("cocluster/estimator/summary.py", "cocluster.plot", "The pure part of cocluster uses neither files nor plot"),
    ("cocluster/estimator/model.py", "sklearn.base", "cocluster follows scikit-learn without needing it"),
    ("cocluster/equations/feature_names.py", "pandas", "cocluster follows scikit-learn without needing it"),
    ("cocluster/files.py", "pickle", "Nothing is unpickled"),
    ("snapshot/version/encoding/codec.py", "pickle", "Nothing is unpickled"),
    ("tagmodel/exports.py", "pickle", "Nothing is unpickled"),
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
    assert "Contracts: 15 kept, 0 broken." in report


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: f"{wrong[0]}-{wrong[1]}")
def test_a_wrong_import_breaks_its_contract(outcomes, wrong):
    module, imported, contract = wrong
    code, report = outcomes[wrong]
    assert code != 0
    assert f"{contract} BROKEN" in report
    importer = module.removesuffix(".py").replace("/", ".")
    assert f"{importer} -> {imported.partition('.')[0]}" in report, "for this import"


def imports_of(path):
    """The modules that a file imports, by their first names."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module.partition(".")[0]


def test_tagmodel_imports_no_other_package_than_numpy():
    """The contract lists what is forbidden; nothing that it does not list is imported either."""
    imported = {name for path in (ROOT / "tagmodel").rglob("*.py") for name in imports_of(path)}
    assert imported - sys.stdlib_module_names == {"numpy", "tagmodel"}


@pytest.mark.parametrize(
    ("imported", "never"),
    [
        ("tagmodel", ("scipy", "numba", "orjson", "pydantic", "redis", "snapshot", "cocluster")),
        ("cocluster", ("sklearn", "pandas", "matplotlib", "snapshot", "redis", "pydantic")),
        ("service.app, service.server.gunicorn", ("scipy", "numba", "joblib", "cocluster", "worker")),
        ("worker.runs.job, worker.runs.scheduler, snapshot.store.operation.queue", ("flask", "gunicorn", "service")),
        ("worker.runs.worker", ("scipy", "numba", "joblib", "cocluster", "flask", "service")),
        ("cotag.cli", ("flask", "scipy", "numba", "psutil")),
        ("cotag.launcher.up", ("flask", "scipy", "numba")),
    ],
)
def test_what_a_process_really_loads_and_that_it_neither_connects_nor_reads_settings(imported, never):
    code = f"import sys, {imported}; print(sorted({{name.partition('.')[0] for name in sys.modules}} & set({never!r})))"
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={"COTAG_PORT": "nonsense", "COTAG_REDIS_URL": "nonsense", "PATH": "/usr/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.strip() == "[]"


def test_sources_name_no_machine_and_no_registry():
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    texts = [ROOT / name for name in files if not name.endswith((".gz", ".png", ".npz", ".zlib"))]
    pattern = re.compile(r"files\.pythonhosted|registry\.npmjs|pypi\.org/simple|/root/|/home/\w+/")
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in texts
        if path.is_file() and path != Path(__file__) and (match := pattern.search(path.read_text()))
    ]
    assert found == []


def without_a_docstring(folder):
    """The modules that do not open with one line about their purpose."""
    for path in sorted(folder.rglob("*.py")):
        text = ast.get_docstring(ast.parse(path.read_text()))
        first, _, rest = (text or "").partition("\n")
        if not first or (rest and not rest.startswith("\n")):
            yield str(path.relative_to(ROOT))


@pytest.mark.parametrize("folder", [*PACKAGES, "bench", "tests"])
def test_every_module_opens_with_a_line_that_says_what_it_is_for(folder):
    assert list(without_a_docstring(ROOT / folder)) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", True),
        ("import os\n", True),
        ('"""\n"""\n', True),
        ('"""A first sentence that\ndoes not end with its line."""\n', True),
        ('"""What it is for."""\n', False),
        ('"""What it is for.\n\nAnd more.\n"""\n', False),
    ],
)
def test_a_module_without_such_a_line_is_found(tmp_path, monkeypatch, text, fault):
    monkeypatch.setattr("tests.architecture.test_house.ROOT", tmp_path)
    (tmp_path / "module.py").write_text(text)
    assert bool(list(without_a_docstring(tmp_path))) == fault
