"""The system that faults are tried on: a real `cotag up` with two corpora of files and one that is pushed."""

import hashlib
import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import psutil
from redis import Redis
from redis.exceptions import RedisError

from bench.service.serving.processes import free_port
from snapshot import RunStatus, StatusBoard, StoreUnavailable, connect
from snapshot.store import keys

WORDS: Final = [f"{topic}{number}" for topic in ("red", "green", "blue", "grey") for number in range(12)]
KEY: Final = "a key of this benchmark"
FILES: Final = ("made", "other")
PUSHED: Final = "live"
PATHS: Final = (
    *(f"/v1/corpora/made/cloud?q={word}" for word in WORDS[::5]),
    *(f"/v1/corpora/other/related?tag={word}" for word in WORDS[::7]),
    "/v1/corpora/made/tags?prefix=re",
    "/",
)
DEADLINE_SECONDS: Final = 120.0
DATA_BYTES: Final = 300_000_000
"""The size of the file system that holds the data, where we may mount one."""


class System:
    """One `cotag up`, driven from outside as its operators would."""

    def __init__(self, folder: Path, schedule: str = "1h", url: str = "") -> None:
        self.folder = folder
        self.data = folder / "data"
        self.own_store = not url
        self.url = url or f"unix://{self.data}/store.sock"
        self.port = free_port()
        self.corpora = folder / "corpora.toml"
        self.log = folder / "up.log"
        self.documents = dict.fromkeys((*FILES, PUSHED), 400)
        self.data.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={DATA_BYTES},mode=0700", "tmpfs", str(self.data)]
        self.own_disk = subprocess.run(command, check=False, capture_output=True).returncode == 0
        """Whether the data are on a file system of their own, which can be filled."""

        for name in FILES:
            self.write_documents(name)
        declared = [f'[corpora.{name}]\nsource = "{name}.jsonl"\nschedule = "{schedule}"\n' for name in FILES]
        declared.append(f'[corpora.{PUSHED}]\nsource = {{ pushed = true }}\nschedule = "1h"\n')
        self.declarations = "\n".join(declared)
        self.corpora.write_text(self.declarations)
        self.launcher = self.launch()
        try:
            self.wait(self.ready, "the start")
        except TimeoutError as error:
            self.stop()
            raise RuntimeError(f"{error}:\n{self.log.read_text()[-4000:]}") from error

    @property
    def ports(self) -> tuple[int, ...]:
        """Of every service that clients may ask."""
        return (self.port,)

    def launch(self) -> subprocess.Popen[bytes]:
        """Start `cotag up`."""
        return self.launch_at(self.data, self.port)

    def launch_at(self, data: Path, port: int) -> subprocess.Popen[bytes]:
        """Start `cotag up` with a data directory and a port."""
        settings = {
            "COTAG_PORT": str(port),
            "COTAG_DATA_DIR": str(data),
            "COTAG_CORPORA": str(self.corpora),
            "COTAG_API_KEYS": hashlib.sha256(KEY.encode()).hexdigest(),
        }
        if not self.own_store:
            settings |= {"COTAG_REDIS_URL": self.url, "COTAG_CONFIRM_REPLICAS": "1", "COTAG_WORKERS": "1"}
        clean = {name: value for name, value in os.environ.items() if not name.startswith("COTAG_")}
        with self.log.open("ab") as log:
            command = [sys.executable, "-m", "cotag", "up"]
            return subprocess.Popen(command, env={**clean, **settings}, stdout=log, stderr=log)

    def stop(self) -> None:
        """End everything, and leave nothing mounted."""
        self.launcher.terminate()
        try:
            self.launcher.wait(DEADLINE_SECONDS)
        finally:
            if self.own_disk:
                subprocess.run(["umount", "--lazy", str(self.data)], check=False)

    def redis(self) -> Redis:
        """A client of the store."""
        return connect(self.url)

    def pid(self, part: str) -> int | None:
        """The process of a part; None while it does not run."""
        try:
            sessions = json.loads((self.data / "processes.json").read_text())
        except (OSError, json.JSONDecodeError):
            return None
        return next((each["pid"] for each in sessions if each["name"] == part and runs(each["pid"])), None)

    def running(self, part: str) -> int:
        """The process of a part, once it runs."""
        self.wait(lambda: self.pid(part), f"a running {part}")
        return self.pid(part) or self.running(part)

    def web_processes(self) -> list[int]:
        """The processes that answer requests."""
        service = self.pid("service")
        try:
            return [] if service is None else [child.pid for child in psutil.Process(service).children()]
        except psutil.NoSuchProcess:
            return []

    def kill(self, part: str) -> None:
        """Kill a part, and wait until another runs in its place."""
        before = self.running(part)
        os.kill(before, 9)
        self.wait(lambda: self.pid(part) not in {before, None}, f"another {part}")

    def get(self, path: str) -> dict[str, Any] | None:
        """What the service answers; None if it is no success."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as answer:
                content = json.load(answer)
        except (OSError, ValueError):
            return None
        return content if isinstance(content, dict) else None

    def ready(self) -> bool:
        """Whether the corpora of files are served and known to be current."""
        state = self.get("/readyz")
        return state is not None and set(FILES) <= state["corpora"].keys() and state["store"] and not state["stale"]

    def write_documents(self, name: str, count: int | None = None) -> None:
        """Write the file of a corpus anew, with so many documents."""
        count = self.documents[name] if count is None else count
        random = np.random.default_rng(0)
        lines = []
        for number in range(count):
            words = WORDS[12 * (number % 4) :][:12]
            lines.append(json.dumps({"id": str(number), "tags": random.choice(words, 4, replace=False).tolist()}))
        new = self.folder / f"{name}.new"
        new.write_text("\n".join(lines))
        new.replace(self.folder / f"{name}.jsonl")

    def request_run(self, name: str) -> str | None:
        """Ask for a run; returns its job, or None while the store is away."""
        try:
            return StatusBoard(self.redis()).request(name, time.time()).job
        except (RedisError, StoreUnavailable):
            return None

    def run_status(self, job: str | None) -> RunStatus | None:
        """How a run that was asked for has ended; None before that."""
        try:
            status = None if job is None else StatusBoard(self.redis()).job(job)
        except (RedisError, StoreUnavailable):
            return None
        return status if status is not None and status.state not in {"queued", "running"} else None

    def publish_change(self, name: str = "made") -> None:
        """Change the file of a corpus, ask for a run, and wait until its result is served."""
        self.documents[name] += 1
        self.write_documents(name)
        asked = -DEADLINE_SECONDS

        def served() -> bool:
            nonlocal asked
            if time.monotonic() - asked > 20.0:  # the request may have been lost with the store
                asked = time.monotonic() if self.request_run(name) else asked
            corpus = self.get(f"/v1/corpora/{name}")
            return corpus is not None and corpus["documents"] == self.documents[name]

        self.wait(served, f"a version of {name} with {self.documents[name]} documents")

    def stored(self) -> set[str]:
        """The ids of the pushed documents in the store."""
        names = cast("list[bytes]", self.redis().hkeys(keys.pushed(PUSHED)))
        return {name.decode() for name in names}

    def wait(self, condition: Callable[[], object], what: str) -> None:
        """Wait for an event; TimeoutError if it does not happen."""
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not condition():
            if self.launcher.poll() is not None:
                raise TimeoutError(f"{what}: the launcher has ended; its log is {self.log}")
            if time.monotonic() > deadline:
                raise TimeoutError(f"{what} did not happen within {DEADLINE_SECONDS:.0f} s; the log is {self.log}")
            time.sleep(0.05)


def runs(pid: int) -> bool:
    """Whether a process lives."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
