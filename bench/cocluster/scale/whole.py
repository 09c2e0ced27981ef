"""A corpus from its file to the published snapshot, as the worker runs it, with a real store: figures as JSON.

python -m bench.cocluster.scale.whole CORPUS
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.places import CORPORA
from cotag.launcher.store_server import server_binary, server_command, wait_for_store
from snapshot import SnapshotStore, connect
from worker.corpora.declaration import Corpus
from worker.runs.job import run

from .memory import peak


def main() -> None:
    name = sys.argv[1]
    path = CORPORA / f"{name}.jsonl.gz"
    with tempfile.TemporaryDirectory() as folder:
        socket = Path(folder) / "store.sock"
        store = subprocess.Popen(server_command(server_binary(), Path(folder), socket), stdout=subprocess.DEVNULL)
        wait_for_store(f"unix://{socket}")
        redis = connect(f"unix://{socket}", timeout=30)
        started, spent = time.perf_counter(), time.process_time()
        outcome = run(Corpus(name=name, source=str(path), path=path), redis, "bench")
        seconds, processor = time.perf_counter() - started, time.process_time() - spent
        snapshots = SnapshotStore(redis)
        meta = snapshots.meta(name, outcome["version"])
        prefix = f"cotag:{name}:v:{outcome['version']}"
        print(
            json.dumps(
                {
                    "seconds": round(seconds, 1),
                    "processor_seconds": round(processor, 1),
                    "peak_bytes": peak(),
                    "documents": meta.document_count,
                    "tags": meta.tag_count,
                    "timings": dict(meta.timings),
                    "store_bytes": redis.info("memory")["used_memory"],
                    "quality": dict(meta.quality),
                    "plan": meta.parameters["plan"],
                    "bytes": {part: redis.strlen(f"{prefix}:{part}") for part in ("arrays", "documents", "meta")},
                }
            )
        )
        store.terminate()
        store.wait()


main()
