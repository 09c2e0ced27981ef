"""wrk, or a client of our own where it is not installed, and what they report."""

import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from bench.service.serving.asking import ask
from bench.service.serving.processes import processor_seconds

CONNECTIONS: Final = 8
UNITS: Final = {"us": 1e-3, "ms": 1.0, "s": 1e3}


@dataclass(frozen=True)
class Load:
    """What one run of wrk saw; latencies and processor time of the server a request in milliseconds."""

    per_second: float
    p50: float
    p99: float
    failed: int
    requests: int
    processor: float


@dataclass(frozen=True)
class Target:
    """A server under load: its port, the pid of the process that started it, and what is sent with each request."""

    port: int
    pid: int
    headers: Mapping[str, str] = field(default_factory=dict)


def hammer(target: Target, paths: Iterable[str], seconds: int, folder: Path) -> Load:
    """Ask for all paths in turn, over and over, on a few connections."""
    before = processor_seconds(target.pid)
    wrk = shutil.which("wrk")
    text = (
        ask(target.port, paths, target.headers, seconds, CONNECTIONS)
        if wrk is None
        else _by_wrk(wrk, target, paths, seconds, folder)
    )
    found = parsed(text)
    return replace(found, processor=1000 * (processor_seconds(target.pid) - before) / max(found.requests, 1))


def _by_wrk(wrk: str, target: Target, paths: Iterable[str], seconds: int, folder: Path) -> str:
    """The report of wrk."""
    script = folder / f"paths-{target.port}.lua"
    quoted = ",".join(f"[[{path}]]" for path in paths)
    script.write_text(
        f"local paths = {{{quoted}}}\nlocal n = 0\n"
        "request = function() n = n % #paths + 1; return wrk.format('GET', paths[n]) end\n"
    )
    sent = [part for name, value in target.headers.items() for part in ("-H", f"{name}: {value}")]
    url = f"http://127.0.0.1:{target.port}"
    command = [wrk, "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", *sent, "-s", str(script), url]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def parsed(text: str) -> Load:
    """The few figures of wrk's report that are used."""
    failed = sum(int(number) for number in re.findall(r"Non-2xx or 3xx responses: (\d+)", text))
    if found := re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", text):
        failed += sum(int(number) for number in found.groups())
    (rate,) = re.findall(r"Requests/sec:\s+([\d.]+)", text)
    (requests,) = re.findall(r"(\d+) requests in", text)
    return Load(float(rate), _latency(text, 50), _latency(text, 99), failed, int(requests), 0.0)


def _latency(text: str, percent: int) -> float:
    found = re.search(rf"^\s+{percent}%\s+([\d.]+)(us|ms|s)\s*$", text, re.MULTILINE)
    if found is None:
        raise ValueError(f"wrk reports no latency of {percent}%:\n{text}")
    return float(found[1]) * UNITS[found[2]]
