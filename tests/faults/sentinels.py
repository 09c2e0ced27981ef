"""A real master with two replicas, watched by three real Sentinels."""

import subprocess
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

from tests.e2e.launching import free_port
from tests.faults.test_store_urls import redis_binary
from tests.waiting import wait_until

NAME = "cotag-store"


class WatchedStore:
    """Three servers and three Sentinels on ports of this machine."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.servers = [free_port() for _ in range(3)]
        self.sentinels = [free_port() for _ in range(3)]
        self.processes = {}
        places = ",".join(f"127.0.0.1:{port}" for port in self.sentinels)
        self.url = f"redis+sentinel://{places}/{NAME}/0"

    def start(self):
        master, *replicas = self.servers
        self.start_server(master)
        for port in replicas:
            self.start_server(port, "--replicaof", "127.0.0.1", str(master))
        wait_until(lambda: self.online(master) == 2, "two replicas", pause=0.1)
        for port in self.sentinels:
            home = self.folder / str(port)
            home.mkdir()
            (home / "sentinel.conf").write_text(
                f"port {port}\nbind 127.0.0.1\ndir {home}\n"
                f"sentinel monitor {NAME} 127.0.0.1 {master} 2\n"
                f"sentinel down-after-milliseconds {NAME} 1000\n"
                f"sentinel failover-timeout {NAME} 5000\n"
            )
            self._start(port, str(home / "sentinel.conf"), "--sentinel")
        wait_until(lambda: all(self.knows_all(port) for port in self.sentinels), "Sentinels that know all", pause=0.1)
        return self

    def start_server(self, port, *options):
        home = self.folder / str(port)
        home.mkdir(exist_ok=True)
        self._start(
            port,
            *("--port", str(port), "--bind", "127.0.0.1", "--dir", str(home), "--appendonly", "yes", "--save", ""),
            *options,
        )

    def kill(self, port):
        self.processes[port].kill()
        self.processes.pop(port).wait()

    def stop(self):
        for port in list(self.processes):
            self.kill(port)

    def online(self, port):
        """How many replicas a server feeds."""
        try:
            replication = Redis(port=port).info("replication")
        except RedisError:
            return 0
        fed = [value for name, value in replication.items() if name.startswith("slave") and isinstance(value, dict)]
        return sum(replica.get("state") == "online" for replica in fed)

    def knows_all(self, port):
        """Whether a Sentinel knows both replicas and both other Sentinels."""
        try:
            seen = Redis(port=port, decode_responses=True).sentinel_master(NAME)
        except RedisError:
            return False
        return int(seen["num-slaves"]) == 2 and int(seen["num-other-sentinels"]) == 2

    def master(self):
        """The port of the server that Sentinels call the master."""
        return int(Redis(port=self.sentinels[0]).sentinel_get_master_addr_by_name(NAME)[1])

    def _start(self, port, *options):
        with (self.folder / f"{port}.log").open("ab") as log:
            self.processes[port] = subprocess.Popen([redis_binary(), *options], stdout=log, stderr=log)
