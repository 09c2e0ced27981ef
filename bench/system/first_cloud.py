"""Steps and minutes from a clone to a page with one's own tags: `python -m bench.system.first_cloud [REVISION]`.

With a revision from before `cotag up FILE` it follows the README of that time: set up and run the demo, convert the
table to JSON Lines, write a corpora file, run again. Without one it clones what is committed here and runs one command.
The minutes are those of the machine; what a person needs to write the converter and the file comes on top.
"""

import argparse
import csv
import gzip
import json
import os
import resource
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from bench.places import ROOT

POLL_SECONDS = 0.2
TABLE = "icons.csv"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("revision", nargs="?", help="A revision without `cotag up FILE`")
    revision = parser.parse_args().revision
    with tempfile.TemporaryDirectory(prefix="cotag-first-cloud-") as folder:
        clone = Path(folder) / "cotag"
        steps = with_corpora_file(clone, revision) if revision else with_one_command(clone)
        print("| step | seconds | processor seconds |\n|---|--:|--:|", flush=True)
        total = processor_total = 0.0
        for name, step in steps:
            seconds, processor = timed(step)
            total, processor_total = total + seconds, processor_total + processor
            print(f"| {name} | {seconds:.0f} | {processor:.0f} |", flush=True)
        load = os.getloadavg()[2]
        print(
            f"\n{len(steps)} steps, {total / 60:.1f} minutes, {processor_total / 60:.1f} minutes of processor time; "
            f"{os.cpu_count()} processors, load {load:.0f}"
        )


def with_corpora_file(clone: Path, revision: str) -> list[tuple[str, Callable[[], None]]]:
    """The steps of the README before."""
    declared = '[corpora.icons]\ntitle = "Icons"\nsource = "icons.jsonl"\n'
    return [
        ("git clone", lambda: get(clone, revision)),
        ("make run, look at the demo, Ctrl-C", lambda: serve(clone, "/")),
        ("write and run a converter to JSON Lines", lambda: convert(clone)),
        ("write corpora.toml", lambda: write(clone / "corpora.toml", declared)),
        ("COTAG_CORPORA=corpora.toml make run", lambda: serve(clone, "/?corpus=icons", COTAG_CORPORA="corpora.toml")),
    ]


def with_one_command(clone: Path) -> list[tuple[str, Callable[[], None]]]:
    """The steps now."""
    return [
        ("git clone", lambda: get(clone, "HEAD")),
        (f"make run FILES={TABLE}", lambda: serve(clone, "/?corpus=icons", f"FILES={TABLE}")),
    ]


def timed(step: Callable[[], None]) -> tuple[float, float]:
    """Seconds, and seconds of processor time of all processes that a step starts. On a busy machine they differ."""
    started, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    step()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - started, processor


def get(clone: Path, revision: str) -> None:
    """Clone, and put the table of the user beside it."""
    commit = subprocess.run(
        ["git", "rev-parse", revision], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    subprocess.run(["git", "checkout", "--quiet", commit], cwd=clone, check=True)
    with (
        gzip.open(ROOT / "demo" / "tabler_icons.jsonl.gz", "rt") as lines,
        (clone / TABLE).open("w", newline="") as table,
    ):
        rows = csv.writer(table, delimiter=";")
        rows.writerow(["Id", "Tags"])
        rows.writerows([icon["id"], ", ".join(icon["tags"])] for icon in map(json.loads, lines))


def convert(clone: Path) -> None:
    with (clone / TABLE).open(newline="") as table, (clone / "icons.jsonl").open("w") as lines:
        for row in csv.DictReader(table, delimiter=";"):
            lines.write(json.dumps({"id": row["Id"], "tags": row["Tags"].split(", ")}) + "\n")


def write(file: Path, text: str) -> None:
    file.write_text(text)


def serve(clone: Path, path: str, *arguments: str, **settings: str) -> None:
    """Run `make run` until a page answers, then end it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("COTAG_", "MAKE"))}
    with (clone / "run.log").open("a") as log:
        process = subprocess.Popen(
            ["make", "run", *arguments],
            cwd=clone,
            env={**clean, "COTAG_PORT": str(port), **settings},
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            while not answers(f"http://127.0.0.1:{port}{path}"):
                if process.poll() is not None:
                    raise SystemExit((clone / "run.log").read_text())
                time.sleep(POLL_SECONDS)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGINT)
            process.wait()


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310 - our own service
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


if __name__ == "__main__":
    main()
