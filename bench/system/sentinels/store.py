"""A real master with two replicas, watched by three real Sentinels."""

import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from redis import Redis
from redis.exceptions import RedisError

from bench.service.serving.processes import free_port

NAME: Final = "cotag-store"
QUORUM: Final = 2
DEADLINE_SECONDS: Final = 120.0
DOWN_MS: Final = 1000
"""A server that says nothing for so long is down to a Sentinel."""


@dataclass(frozen=True)
class Host:
    """Where a server and a Sentinel run."""

    address: str
    server: int
    """The port of the server."""

    sentinel: int
    prefix: tuple[str, ...] = ()
    """Begins the commands that start them, for example in a network of their own."""


def local_hosts() -> list[Host]:
    """Three hosts that are ports of this machine."""
    return [Host("127.0.0.1", free_port(), free_port()) for _ in range(3)]


class WatchedStore:
    """Three servers and three Sentinels. A server that starts again is a replica if the Sentinels say so."""

    def __init__(
        self, folder: Path, hosts: Sequence[Host], binary: str = "redis-server", options: Sequence[str] = ()
    ) -> None:
        self._options = options
        self.hosts = list(hosts)
        places = ",".join(f"{host.address}:{host.sentinel}" for host in hosts)
        self.url = f"redis+sentinel://{places}/{NAME}/0"
        self._folder = folder
        self._binary = shutil.which(binary) or binary
        self._processes: dict[tuple[str, int], subprocess.Popen[bytes]] = {}

    def start(self) -> "WatchedStore":
        """The first host has the master."""
        master, *replicas = self.hosts
        self.start_server(master)
        for host in replicas:
            self.start_server(host, "--replicaof", master.address, str(master.server))
        wait_for(lambda: self.online(master) == len(replicas), "replicas")
        for host in self.hosts:
            home = self._home(host, "sentinel")
            (home / "sentinel.conf").write_text(
                f"port {host.sentinel}\nbind {host.address}\nprotected-mode no\ndir {home}\n"
                f"sentinel monitor {NAME} {master.address} {master.server} {QUORUM}\n"
                f"sentinel down-after-milliseconds {NAME} {DOWN_MS}\n"
                f"sentinel failover-timeout {NAME} 5000\n"
            )
            self.start_sentinel(host)
        wait_for(lambda: all(map(self.knows_all, self.hosts)), "Sentinels that know all")
        return self

    def start_server(self, host: Host, *options: str) -> None:
        """Start a server, with what it had stored if it ran before."""
        home = self._home(host, "server")
        place = ("--port", str(host.server), "--bind", host.address, "--protected-mode", "no", "--dir", str(home))
        self._start(host, host.server, *place, "--appendonly", "yes", "--save", "", *self._options, *options)

    def start_sentinel(self, host: Host) -> None:
        """Start a Sentinel, with what it knew before."""
        self._start(host, host.sentinel, str(self._home(host, "sentinel") / "sentinel.conf"), "--sentinel")

    def process(self, host: Host, port: int) -> subprocess.Popen[bytes]:
        """The process that listens on a port of a host."""
        return self._processes[host.address, port]

    def kill(self, host: Host, port: int) -> None:
        """Kill what listens on a port of a host."""
        process = self._processes.pop((host.address, port))
        process.kill()
        process.wait()

    def stop(self) -> None:
        """Kill all."""
        for process in self._processes.values():
            process.kill()
        for process in self._processes.values():
            process.wait()
        self._processes.clear()

    def online(self, host: Host) -> int:
        """How many replicas a server feeds."""
        try:
            replication = client(host.address, host.server).info("replication")
        except RedisError:
            return 0
        fed = [value for name, value in replication.items() if name.startswith("slave") and isinstance(value, dict)]
        return sum(replica.get("state") == "online" for replica in fed)

    def knows_all(self, host: Host) -> bool:
        """Whether a Sentinel knows all replicas and all other Sentinels."""
        others = len(self.hosts) - 1
        try:
            seen = cast("dict[str, Any]", client(host.address, host.sentinel).sentinel_master(NAME))
        except RedisError:
            return False
        return int(seen["num-slaves"]) == others and int(seen["num-other-sentinels"]) == others

    def master(self, asked: Host | None = None) -> Host | None:
        """The host whose server a Sentinel calls the master; None if it does not answer."""
        asked = asked or self.hosts[0]
        try:
            place = client(asked.address, asked.sentinel).sentinel_get_master_addr_by_name(NAME)
        except RedisError:
            return None
        return next((host for host in self.hosts if (host.address, host.server) == place), None)

    def agreed(self) -> Host | None:
        """The master, if all Sentinels name the same and it feeds all the others."""
        named = {self.master(host) for host in self.hosts}
        master = named.pop() if len(named) == 1 else None
        return master if master is not None and self.online(master) == len(self.hosts) - 1 else None

    def _home(self, host: Host, part: str) -> Path:
        home = self._folder / f"{host.address}-{host.server}-{part}"
        home.mkdir(exist_ok=True)
        return home

    def _start(self, host: Host, port: int, *options: str) -> None:
        with (self._folder / f"{host.address}-{port}.log").open("ab") as log:
            command = [*host.prefix, self._binary, *options]
            self._processes[host.address, port] = subprocess.Popen(command, stdout=log, stderr=log)


def client(address: str, port: int) -> Redis:
    """A client that does not wait for long."""
    return Redis(address, port, decode_responses=True, socket_timeout=2.0, socket_connect_timeout=1.0)


def wait_for(condition: Callable[[], object], what: str) -> None:
    """Wait for an event; TimeoutError if it does not happen."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} did not happen within {DEADLINE_SECONDS:.0f} s")
        time.sleep(0.05)
