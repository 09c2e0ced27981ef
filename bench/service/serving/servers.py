"""Which server should carry the service: a bare function of 3 kB under each, measured side by side.

python -m bench.service.serving.servers          # a Markdown table, also in bench/results/servers.md
python -m bench.service.serving.servers --seconds 2 --rounds 5
"""

import argparse
import re
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Final

from bench.places import RESULTS
from bench.service.serving.bare import GRANIAN, WORKERS
from bench.service.serving.clients import SlowHeads
from bench.service.serving.loading import Load, Target, hammer
from bench.service.serving.processes import PROCESSES, end, free_port, memory, process, status, workers

TABLE: Final = RESULTS / "servers.md"
LABELS: Final = {**{name: label for name, (label, _, _) in WORKERS.items()}, "granian": "granian"}
SLOW: Final = 300
READS: Final = 11
READ_SECONDS: Final = 3.0
MOST_COUNTED: Final = 500
RESPAWN_SECONDS: Final = 15.0
MALFORMED: Final = {
    "malformed line": b"THIS IS NOT HTTP\r\n\r\n",
    "line of 100 kB": b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: bench\r\n\r\n",
    "header of 100 kB": b"GET / HTTP/1.1\r\nHost: bench\r\nX-Long: " + b"a" * 100_000 + b"\r\n\r\n",
    "1,000 headers": b"GET / HTTP/1.1\r\nHost: bench\r\n" + b"X-Many: a\r\n" * 1000 + b"\r\n",
}


@contextmanager
def running(name: str, port: int, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """One of the servers, with a folder of its own for metrics."""
    metrics = folder / f"metrics-{name}-{port}"
    metrics.mkdir()
    command = (
        [*GRANIAN[:1], "--port", str(port), *GRANIAN[1:]] if name == "granian" else ["bench.service.serving.bare", name]
    )
    with process(command, port, {"PROMETHEUS_MULTIPROC_DIR": str(metrics)}) as server:
        yield server


def raw(port: int, request: bytes) -> str:
    """What some bytes get: status and content type of the answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=READ_SECONDS) as connection:
        try:
            connection.sendall(request)
            head = connection.recv(65536).decode("latin-1")
        except TimeoutError:
            return "no answer"
        except OSError:
            return "closed"
    if not head.startswith("HTTP/1."):
        return "closed"
    kind = re.search(r"(?i)^content-type: *([^;\r]+)", head, re.MULTILINE)
    return f"{head[9:12]} {kind[1] if kind else 'no content type'}"


def speed(folder: Path, seconds: int, rounds: int) -> tuple[dict[str, list[Load]], dict[str, float]]:
    """All servers take turns. Their loads, and the memory of a process afterwards."""
    with ExitStack() as stack:
        ports = {name: free_port() for name in LABELS}
        servers = {name: stack.enter_context(running(name, ports[name], folder)) for name in LABELS}
        loads: dict[str, list[Load]] = {name: [] for name in LABELS}
        for _ in range(rounds):
            for name, port in ports.items():
                loads[name].append(hammer(Target(port, servers[name].pid), ["/"], seconds, folder))
        return loads, {name: memory(server.pid) for name, server in servers.items()}


def slow_heads(name: str, folder: Path) -> tuple[int, float]:
    """How many of a few reads are answered beside slow clients, and how many seconds the end takes beside them."""
    port = free_port()
    with running(name, port, folder) as server, SlowHeads(port, SLOW):
        time.sleep(1.0)
        answered = sum(status(port, "/", READ_SECONDS) == 200 for _ in range(READS))
        return answered, end(server)


def refusals(name: str, folder: Path) -> dict[str, str]:
    """What each malformed request gets."""
    port = free_port()
    with running(name, port, folder):
        return {what: raw(port, request) for what, request in MALFORMED.items()}


def metrics_of_ended(name: str, folder: Path) -> str:
    """Whether the counters of a process that was killed stay, and whether its gauges go."""
    port = free_port()
    with running(name, port, folder) as server:
        sent, before = 0, (0.0, 0.0)
        while before[1] < PROCESSES and sent < MOST_COUNTED:
            sent += status(port, "/counted") == 200
            before = counts(port)
        one = workers(server.pid)[0]
        one.kill()
        deadline = time.monotonic() + RESPAWN_SECONDS
        while (len(workers(server.pid)) < PROCESSES or one.is_running()) and time.monotonic() < deadline:
            time.sleep(0.05)
        count, processes = counts(port)
    return f"counters {'stay' if count == sent else 'are lost'}, gauges {'go' if processes < PROCESSES else 'stay'}"


def counts(port: int) -> tuple[float, float]:
    """Requests that were counted, and processes that counted some."""
    text = body(port, "/metrics")
    found = [
        re.findall(rf"^{each} ([\d.]+)$", text, re.MULTILINE) for each in ("bench_counted_total", "bench_processes")
    ]
    counted, processes = (float(each[0]) if each else 0.0 for each in found)
    return counted, processes


def body(port: int, path: str) -> str:
    """A body, read to the end of the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=READ_SECONDS) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n".encode())
        return b"".join(iter(lambda: connection.recv(65536), b"")).decode()


def table(seconds: int, rounds: int) -> str:
    """All measurements as Markdown: a column for each server."""
    with tempfile.TemporaryDirectory(prefix="cotag-") as temporary:
        folder = Path(temporary)
        loads, megabytes = speed(folder, seconds, rounds)
        rows: dict[str, dict[str, str]] = {
            "processor ms a request": {
                name: f"{median(x.processor for x in each):.3f}" for name, each in loads.items()
            },
            "of gthread": {
                name: f"{median(a.processor / b.processor for a, b in zip(each, loads['gthread'], strict=True)):.2f}"
                for name, each in loads.items()
            },
            "p99 ms, eight connections": {name: f"{median(x.p99 for x in each):.1f}" for name, each in loads.items()},
            "failed": {name: str(sum(x.failed for x in each)) for name, each in loads.items()},
            "own memory of a process, MB": {name: f"{each:.0f}" for name, each in megabytes.items()},
        }
        slow = {name: slow_heads(name, folder) for name in LABELS}
        rows[f"reads answered of {READS} beside {SLOW} slow heads"] = {n: str(count) for n, (count, _) in slow.items()}
        rows[f"seconds from SIGTERM to the end beside {SLOW} slow heads"] = {
            n: f"{s:.2f}" for n, (_, s) in slow.items()
        }
        answers = {name: refusals(name, folder) for name in LABELS}
        rows |= {f"{what} gets": {name: each[what] for name, each in answers.items()} for what in MALFORMED}
        rows["metrics of a killed process"] = {name: metrics_of_ended(name, folder) for name in LABELS}
    lines = [f"| | {' | '.join(LABELS.values())} |", "|---|" + "--:|" * len(LABELS)]
    lines += [f"| {row} | {' | '.join(each[name] for name in LABELS)} |" for row, each in rows.items()]
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    text = table(given.seconds, given.rounds)
    TABLE.write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
