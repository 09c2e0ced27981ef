"""The network of a watched store splits: what was confirmed on either side, and what is left of it afterwards.

python -m bench.system.sentinels.split REPLICAS    # so many must have what is confirmed; prints JSON

The host of the master loses both others for a while. One writer is on that host, one on the side of the majority, and
one reaches all hosts.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from bench.system.sentinels.network import build, cut, inside_namespace, join
from bench.system.sentinels.store import Host, WatchedStore, wait_for
from bench.system.sentinels.writer import CORPUS
from snapshot import connect
from snapshot.store import keys
from snapshot.store.edits import EditStore

ENOUGH: Final = 10
"""Confirmed in each phase, before the next one begins."""


class Writer:
    """A writer in a process of its own."""

    def __init__(self, name: str, store: WatchedStore, replicas: str, folder: Path, host: Host | None = None) -> None:
        self.name = name
        self._file = folder / f"{name}.confirmed"
        module = "bench.system.sentinels.writer"
        prefix = () if host is None else host.prefix
        with self._file.open("wb") as file:
            command = [*prefix, sys.executable, "-m", module, store.url, name, replicas]
            self.process = subprocess.Popen(command, stdout=file)

    def confirmed(self) -> list[str]:
        """What was confirmed so far."""
        return self._file.read_text().split("\n")[:-1]


@contextmanager
def writing(store: WatchedStore, replicas: str, folder: Path) -> Iterator[dict[str, Writer]]:
    """A writer beside the master, one beside a replica, and one outside."""
    places = {"minority": store.hosts[0], "majority": store.hosts[1], "outside": None}
    writers = {name: Writer(name, store, replicas, folder, host) for name, host in places.items()}
    try:
        yield writers
    finally:
        for writer in writers.values():
            writer.process.kill()
            writer.process.wait()


def main() -> None:
    """Before, during and after the split."""
    with tempfile.TemporaryDirectory(prefix="cotag-") as name:
        store = WatchedStore(Path(name), build())
        try:
            print(json.dumps(split(store.start(), sys.argv[1], Path(name))))
        finally:
            store.stop()


def split(store: WatchedStore, replicas: str, folder: Path) -> dict[str, Any]:
    """What each writer had confirmed while there were two masters, and which of all that was confirmed is lost."""
    old, *others = store.hosts
    with writing(store, replicas, folder) as writers:

        def more(names: tuple[str, ...]) -> None:
            before = {name: len(writers[name].confirmed()) for name in names}
            wait_for(
                lambda: all(len(writers[name].confirmed()) >= before[name] + ENOUGH for name in names),
                f"more from {', '.join(names)}",
            )

        more(tuple(writers))
        cut(old, others)
        wait_for(lambda: store.master(others[0]) in others, "another master")
        before = {name: len(writer.confirmed()) for name, writer in writers.items()}
        more(("majority", "outside"))
        during = {name: len(writer.confirmed()) - before[name] for name, writer in writers.items()}
        join(old, others)
        wait_for(store.agreed, "one master with two replicas")
        more(tuple(writers))
        confirmed = {name for writer in writers.values() for name in writer.confirmed()}
    redis = connect(store.url)
    kept = {name.decode() for name in redis.hkeys(keys.pushed(CORPUS))}  # type: ignore[union-attr]
    kept |= {edit.tag for edit in EditStore(redis).read(CORPUS).stored}
    return {"during": during, "confirmed": len(confirmed), "lost": sorted(confirmed - kept)}


def outcome(replicas: int) -> dict[str, Any]:
    """The same, from a process without such rights."""
    command = inside_namespace(["bench.system.sentinels.split", str(replicas)])
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr[-3000:])
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


if __name__ == "__main__":
    main()
