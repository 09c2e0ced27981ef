"""Writes the golden store: python -m tests.upgrade.write_store FILE, once, by the release before a change of operation.

It is a whole store as scheduler and worker leave it: three versions of one corpus, the last of them held, a corpus
whose documents are pushed, and a request that waits.
"""

import sys
import tempfile
from pathlib import Path

from snapshot import PushedDocument, PushedDocuments, StatusBoard, connect
from snapshot.store.backup import back_up
from tests.conftest import topic_documents, write_jsonl
from tests.corpora import read_corpora
from tests.servers import Server
from worker.runs.job import run
from worker.runs.scheduler import Scheduler

CORPORA = """[corpora.topics]
title = "Four topics"
source = "topics.jsonl.gz"
schedule = "1h"

[corpora.pushed]
source = {pushed = true}
schedule = "24h"
"""
NOON = 1_794_916_800.0
"""17 November 2026, 12:00 UTC."""


def write_corpora(folder, documents=260):
    """The corpora file and the documents of a run."""
    write_jsonl(folder / "topics.jsonl.gz", topic_documents(documents))
    path = folder / "corpora.toml"
    path.write_text(CORPORA)
    return path


def fill(redis, folder):
    """Run the corpora as worker and scheduler do."""
    for number, documents in enumerate((200, 260, 60)):
        path, now = write_corpora(folder, documents), NOON + 3600 * number
        Scheduler(redis, path, clock=lambda now=now: now, draw=lambda: 0.0).tick()
        job = StatusBoard(redis).read("topics").job
        run(read_corpora(path)["topics"], redis, job, clock=lambda now=now: now)
    PushedDocuments(redis, "pushed").put([PushedDocument("one", ["rain", "sun"], None, {})])
    StatusBoard(redis).request("pushed", NOON + 8000, fresh=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="cotag-") as folder:
        server = Server(Path(folder) / "s").start()
        try:
            client = connect(server.url)
            fill(client, Path(folder))
            back_up(client, Path(sys.argv[1]))
        finally:
            server.stop()
