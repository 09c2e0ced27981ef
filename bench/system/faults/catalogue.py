"""The faults: how each is brought about, how it is undone, and what it did before it was mended."""

import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from redis.exceptions import RedisError

from bench.system.faults.system import System
from cotag.launcher.salvage import FILES as STORE_FILES
from cotag.launcher.salvage import commands
from snapshot import SnapshotStore, StatusBoard, Turn, connect, encode, encode_record, version_at
from snapshot.store import keys

Undo = Callable[[], object]
DAY: Final = 86_400.0
UNKNOWN: Final = "–"
"""The issue gives no figure."""


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong. `inject` brings it about and returns how to undo it."""

    name: str
    before: str
    inject: Callable[[System], Undo]
    seconds: float = 3.0
    """How long it lasts."""

    own_disk: bool = False


def nothing() -> None:
    """There is nothing to undo."""


def killed(part: str) -> Callable[[System], Undo]:
    """A part is killed."""

    def inject(system: System) -> Undo:
        system.kill(part)
        return nothing

    return inject


def kill_web_process(system: System) -> Undo:
    """One of the processes that answer requests is killed."""
    system.wait(system.web_processes, "a process of the service")
    os.kill(system.web_processes()[0], signal.SIGKILL)
    return nothing


def kill_launcher(system: System) -> Undo:
    """The launcher is killed, and started again after a moment."""
    system.launcher.kill()
    system.launcher.wait()

    def start_again() -> None:
        system.launcher = system.launch()

    return start_again


def kill_adopted_service(system: System) -> Undo:
    """Gunicorn is killed after another launcher has adopted it."""
    adoptions = system.log.read_text().count("adopting service")
    kill_launcher(system)()
    system.wait(lambda: system.log.read_text().count("adopting service") > adoptions, "the adoption")
    system.kill("service")
    return nothing


def hang_up(system: System) -> Undo:
    """A rolling restart: all processes of the service are replaced."""
    before = set(system.web_processes())
    os.kill(system.running("service"), signal.SIGHUP)
    system.wait(lambda: len(set(system.web_processes()) - before) == len(before), "new processes")
    return nothing


def pause_store(system: System) -> Undo:
    """The store hangs."""
    store = system.running("store")
    os.kill(store, signal.SIGSTOP)
    return lambda: os.kill(store, signal.SIGCONT)


def fill_disk(system: System) -> Undo:
    """The file system of all data is full."""
    filler = system.data / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * 65_536)
        except OSError:
            pass
    system.request_run("made")
    return filler.unlink


def remove_file(system: System) -> Undo:
    """The file of one corpus is missing; the other one runs all the same."""
    (system.folder / "other.jsonl").unlink()
    job = system.request_run("other")
    system.wait(lambda: (status := system.run_status(job)) and status.state == "failed", "a failed run")
    system.publish_change("made")
    return lambda: system.write_documents("other")


def break_corpora_file(system: System) -> Undo:
    """The corpora file is broken, and worker and scheduler start with it."""
    system.corpora.write_text("[corpora.made\n")
    for part in ("worker", "scheduler"):
        system.kill(part)
    system.publish_change("made")
    return lambda: system.corpora.write_text(system.declarations)


def damage_part(part: str) -> Callable[[System], Undo]:
    """A part of the current version is gone."""

    def inject(system: System) -> Undo:
        version = SnapshotStore(system.redis()).current("made") or ""
        system.redis().delete(keys.part("made", version, part))
        return nothing

    return inject


def damage_keys(system: System) -> Undo:
    """Pointer, set of corpora and register have another type."""
    redis = system.redis()
    for key in (keys.current("other"), keys.CORPORA, keys.DECLARED):
        redis.delete(key)
        redis.rpush(key, b"rubbish")
    system.publish_change("other")
    return nothing


def publish_tomorrow(system: System) -> Undo:
    """A version and a turn are dated a day ahead."""
    redis = system.redis()
    store = SnapshotStore(redis)
    version = store.current("made") or ""
    ahead = datetime.now(UTC) + timedelta(days=1)
    snapshot = replace(store.load("made", version), version=version_at(ahead), created=ahead)
    store.publish(encode(snapshot, store.documents("made", version)))
    redis.set(keys.schedule("made"), encode_record(Turn(time.time() + DAY, "", 0, 0.0)))
    return nothing


def shrink(system: System) -> Undo:
    """The file of a corpus has a quarter of its documents: the result is held."""
    system.write_documents("made", system.documents["made"] // 4)
    job = system.request_run("made")
    system.wait(lambda: system.run_status(job), "the end of the run")
    served = system.get("/v1/corpora/made")
    if served is None or served["documents"] != system.documents["made"]:
        raise RuntimeError(f"a version that lost most documents is served: {served}")
    return lambda: system.write_documents("made")


def damage_store(system: System) -> Undo:
    """The append-only file is damaged inside its largest command, and the store is killed."""
    path = max((system.data / "store" / STORE_FILES).glob("*.aof"), key=lambda file: file.stat().st_size)
    start, end = max(commands(path.read_bytes()), key=lambda span: span[1] - span[0])
    with path.open("r+b") as file:  # in place: the store goes on writing to its end
        for position, length in ((start + 2, 64), (end - 8, 8)):
            file.seek(position)
            file.write(b"\xff" * length)
    system.kill("store")
    aside = system.data / "store"
    system.wait(lambda: any(aside.glob("damaged-*")), "the repair")
    return nothing


def request_often(system: System) -> Undo:
    """The same run is requested 300 times."""
    board = StatusBoard(system.redis())
    jobs = {board.request("made", time.time()).job for _ in range(300)}
    if len(jobs) > 10:  # a few runs may begin and end meanwhile
        raise RuntimeError(f"300 requests made {len(jobs)} jobs")
    return nothing


def put_strangers_on_the_queue(system: System) -> Undo:
    """Somebody with access to the store puts calls of other functions on the queue."""
    redis, mark = system.redis(), system.folder / "called"
    for key in ("cotag:queue", keys.REQUESTS):
        redis.rpush(key, b'{"call": "os.mkdir", "args": ["%s"]}' % str(mark).encode(), b"\x80\x04rubbish")

    def check() -> None:
        if mark.exists():
            raise RuntimeError("the worker called a foreign function")

    return check


def refuse_writes(setting: str, value: str, usual: str) -> Callable[[System], Undo]:
    """The store takes no writes."""

    def inject(system: System) -> Undo:
        system.redis().config_set(setting, value)
        system.request_run("made")
        return lambda: system.redis().config_set(setting, usual)

    return inject


def make_replica(system: System) -> Undo:
    """The store becomes a replica of nobody."""
    system.redis().replicaof("127.0.0.1", 1)
    return lambda: system.redis().replicaof("NO", "ONE")


def keep_store_busy(system: System) -> Undo:
    """A script keeps the store busy."""

    def run() -> None:
        with suppress(RedisError):
            connect(system.url, timeout=DAY).eval("while true do end", 0)

    redis = system.redis()
    redis.config_set("busy-reply-threshold", "50")
    thread = threading.Thread(target=run, daemon=True)
    thread.start()

    def end() -> None:
        redis.script_kill()
        thread.join()

    return end


FAULTS: Final = (
    Fault("the disk is full", "6,679 reads failed, 40 documents lost", fill_disk, 5.0, own_disk=True),
    Fault("the file of one corpus is missing", "every corpus stopped", remove_file),
    Fault("the corpora file is broken, worker and scheduler start", "every corpus stopped", break_corpora_file),
    *(
        Fault(f"{part} of the current version is gone", "every later run failed", damage_part(part))
        for part in ("meta", "arrays", "documents")
    ),
    Fault("current, corpora and declared have another type", "every corpus harmed", damage_keys),
    Fault("a version and a turn are dated a day ahead", "nothing published for a day", publish_tomorrow),
    Fault("a rolling restart (SIGHUP)", UNKNOWN, hang_up),
    Fault("gunicorn is killed", "reads failed until the next start", killed("service")),
    Fault("the launcher is killed and started again", "399 reads failed", kill_launcher),
    Fault("gunicorn is killed after an adoption", "reads failed until the next start", kill_adopted_service),
    Fault("a process of the service is killed", UNKNOWN, kill_web_process),
    Fault("the append-only file is damaged", "the store did not start again", damage_store),
    Fault("a file shrinks to a quarter", "published", shrink),
    Fault("foreign calls on the queue", "run by the worker", put_strangers_on_the_queue),
    Fault("300 equal requests", "300 jobs", request_often),
    Fault("the store is out of memory (OOM)", "the worker ended", refuse_writes("maxmemory", "1", "0")),
    Fault("the store is a replica (READONLY)", "the worker ended", make_replica),
    Fault(
        "the store wants replicas (NOREPLICAS)", "the worker ended", refuse_writes("min-replicas-to-write", "1", "0")
    ),
    Fault("the store is busy (BUSY)", "the worker ended", keep_store_busy),
    Fault("the worker is killed", UNKNOWN, killed("worker")),
    Fault("the scheduler is killed", UNKNOWN, killed("scheduler")),
    Fault("the store is killed", UNKNOWN, killed("store")),
    Fault("the store hangs", UNKNOWN, pause_store, 5.0),
)
