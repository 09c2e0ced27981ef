"""What one corpus takes: in Redis by `keep`, memory of a worker and of a process of the service, disk of the documents.

python -m bench.system.resources [CORPUS…]   five corpora by default
"""

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import psutil

from bench.places import CORPORA
from bench.service.serving.processes import store
from service.live.document_files import DocumentFiles
from service.live.snapshots import LiveSnapshots
from snapshot import SnapshotStore, StatusBoard, connect

DEFAULT: Final = ("tabler_icons", "lastfm_artists", "whatscooking", "citeulike_a", "radio_large")
KEEP: Final = 5
MB: Final = 1e6

RUN: Final = """
import sys
from pathlib import Path
from snapshot import connect
from worker.corpora.declaration import Corpus
from worker.runs.job import run
url, name, path = sys.argv[1], sys.argv[2], Path(sys.argv[3])
corpus = Corpus(name=name, source=path.name, path=path, variants="spelling")
assert run(corpus, connect(url, timeout=60), "sizing")["state"] == "done"
"""

SERVE: Final = "import sys; from bench.system.resources import serve; serve(*sys.argv[1:])"


def serve(url: str, name: str, folder: str) -> None:
    """Print the memory of a process that serves a corpus, before and after it took it up, and the size of the file."""
    redis = connect(url, timeout=60)
    live = LiveSnapshots(SnapshotStore(redis), StatusBoard(redis), document_files=DocumentFiles(Path(folder)))
    before = psutil.Process().memory_full_info().uss
    live.refresh()
    view = live.view(name)
    after = psutil.Process().memory_full_info().uss
    print(json.dumps({"before": before, "after": after, "disk": view.index_bytes, "tags": view.snapshot.tag_count}))


def measured(name: str) -> dict[str, Any]:
    """The figures of one corpus, in bytes."""
    with tempfile.TemporaryDirectory(prefix="cotag-") as folder, store(Path(folder) / "s") as (url, _):
        redis = connect(url, timeout=60)
        used = redis.info("memory")["used_memory"]
        file = CORPORA / f"{name}.jsonl.gz"
        subprocess.run([sys.executable, "-c", RUN, url, name, str(file)], check=True, stdout=subprocess.DEVNULL)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        stored = redis.info("memory")["used_memory"] - used
        told = subprocess.run(
            [sys.executable, "-c", SERVE, url, name, str(Path(folder) / "documents")],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.splitlines()[-1]
        served = json.loads(told)
        meta = SnapshotStore(redis).meta(name, str(SnapshotStore(redis).current(name)))
    return {"documents": meta.document_count, "stored": stored, "peak": peak, **served}


def row(name: str, figures: dict[str, Any]) -> str:
    """A line of the table."""
    stored = figures["stored"] / MB
    cells = (
        f"{figures['documents']:,}",
        f"{figures['tags']:,}",
        f"{stored:.0f}",
        f"{KEEP * stored:.0f}",
        f"{figures['peak'] / MB:,.0f}",
        f"{(figures['after'] - figures['before']) / MB:.0f}",
        f"{figures['disk'] / MB:.0f}",
    )
    return f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    names = sys.argv[1:] or list(DEFAULT)
    figures = "Redis, MB a version | × keep = 5 | worker, peak MB | service, MB a process | disk, MB"
    print(f"| corpus | documents | tags | {figures} |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for name in names:
        # Each in a process of its own: the peak of children is that of the largest so far.
        if len(names) > 1:
            command = [sys.executable, "-m", "bench.system.resources", name]
            told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            print(told.splitlines()[-1], flush=True)
        else:
            print(row(name, measured(name)), flush=True)


if __name__ == "__main__":
    main()
