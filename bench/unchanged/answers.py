"""Whether two checkouts answer with the same bytes: `cotag up` of each, a thousand addresses, answer by answer.

    git worktree add --detach ../old COMMIT
    python -m bench.unchanged.answers ../old        # writes bench/results/unchanged-answers.md

Each side clusters the demo by itself and serves it over HTTP. A body must be the same but for what names the run: its
version and the digests made of it. The processor time that both took for this is beside it: the sides take turns.
"""

import argparse
import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

import psutil

from bench.places import RESULTS, ROOT

TAGS: Final = 160
STARTING_SECONDS: Final = 300.0
SETTLING_SECONDS: Final = 20.0
"""Services make common answers ready after they load a version."""

AGAIN: Final = 4
RUN_NAMES: Final = re.compile(rb"\d{8}T\d{6}\.\d{3}Z|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)|/static/[0-9a-f]+/")
"""Versions, times and the digest of the static files."""


@dataclass(frozen=True)
class Side:
    """A running checkout: the port of its service, and the process that started all of it."""

    port: int
    pid: int

    def seconds(self) -> float:
        """Processor time of the web processes so far."""
        started = psutil.Process(self.pid).children(recursive=True)
        times = [each.cpu_times() for each in started if "serve" in each.cmdline() or "gunicorn" in each.name()]
        return sum(each.user + each.system for each in times)


@contextmanager
def served(checkout: Path, port: int) -> Iterator["Side"]:
    """`cotag up` of a checkout, with the demo, until its first version is served."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("COTAG_")}
    with tempfile.TemporaryDirectory(prefix="cotag-") as folder:
        environment = {**clean, "PYTHONPATH": str(checkout), "COTAG_PORT": str(port), "COTAG_DATA_DIR": folder}
        command = [sys.executable, "-P", "-m", "cotag", "up"]
        with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL) as process:
            try:
                give_up = time.monotonic() + STARTING_SECONDS
                while get(port, "/v1/corpora/demo/cloud")[0] != 200:
                    if time.monotonic() > give_up or process.poll() is not None:
                        raise SystemExit(f"{checkout} does not serve the demo")
                    time.sleep(1.0)
                yield Side(port, process.pid)
            finally:
                process.terminate()


def get(port: int, address: str) -> tuple[int, bytes]:
    """Status and body; 0 while nobody listens."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", address)
        response = connection.getresponse()
        return response.status, response.read()
    except OSError:
        return 0, b""
    finally:
        connection.close()


def addresses(port: int) -> list[str]:
    """A thousand addresses about the commonest tags, and every list."""
    listed = json.loads(get(port, f"/v1/corpora/demo/tags?limit={TAGS}")[1])["tags"]
    at = "/v1/corpora/demo"
    about = [
        f"{at}/{question}={quote(each['tag'])}"
        for each in listed
        for question in ("cloud?tag", "related?tag", "tag?tag", "documents?q", "cloud?q", "similar?tag")
    ]
    pages = [f"/?tag={quote(each['tag'])}" for each in listed[:30]]
    lists = ["/", "/explore", "/map", "/concept", f"{at}/clusters", f"{at}/clusters?k=12", f"{at}/dendrogram?k=30"]
    lists += [f"{at}/dendrogram?k=20&format={kind}" for kind in ("newick", "svg", "linkage")]
    return [*about, *pages, *lists, f"{at}/curve", f"{at}/cloud", "/openapi.json"]


def compare(old: int, new: int, asked: Sequence[str]) -> tuple[Counter[str], list[str]]:
    """How many answers of each path are the same, and the addresses of those that are not."""
    same: Counter[str] = Counter()
    different = []
    for address in asked:
        before, after = ((status, RUN_NAMES.sub(b"", body)) for status, body in (get(old, address), get(new, address)))
        if before == after:
            same[address.partition("?")[0]] += 1
        else:
            different.append(address)
    return same, different


def main() -> None:
    """Compare, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    arguments = parser.parse_args()
    with served(arguments.old.resolve(), 8471) as old, served(ROOT, 8472) as new:
        time.sleep(SETTLING_SECONDS)
        asked = addresses(old.port)
        start = [side.seconds() for side in (old, new)]
        same, different = compare(old.port, new.port, asked)
        first = [side.seconds() for side in (old, new)]
        for _ in range(AGAIN):
            compare(old.port, new.port, asked)
        again = [side.seconds() for side in (old, new)]
    lines = [f"{sum(same.values())} of {len(asked)} answers have the same bytes.", "", "| path | same |", "|---|--:|"]
    lines += [f"| `{path}` | {count} |" for path, count in sorted(same.items())]
    lines += ["", "| processor time of the web processes | old, s | new, s | ratio |", "|---|--:|--:|--:|"]
    passes = (("asked for the first time", start, first), (f"asked {AGAIN} times again", first, again))
    for name, before, after in passes:
        spent = [late - early for early, late in zip(before, after, strict=True)]
        lines.append(f"| {name} | {spent[0]:.2f} | {spent[1]:.2f} | {spent[1] / spent[0]:.2f} |")
    lines += ["", *(f"- different: `{address}`" for address in different)]
    text = "\n".join(lines).rstrip() + "\n"
    print(text)
    (RESULTS / "unchanged-answers.md").write_text("# Answers of two checkouts\n\n" + text)


if __name__ == "__main__":
    main()
