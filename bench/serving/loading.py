"""wrk, and what it reports."""

import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from cotag.errors import StartError

CONNECTIONS = 8
UNITS = {"us": 1e-3, "ms": 1.0, "s": 1e3}


@dataclass(frozen=True)
class Load:
    """What one run of wrk saw; latencies and processor time of the server a request in milliseconds."""

    per_second: float
    p50: float
    p99: float
    failed: int
    requests: int
    processor: float


def hammer(url: str, paths: Iterable[str], seconds: int, folder: Path, server: int) -> Load:
    """Ask for all paths in turn, over and over, on a few connections; `server` is the pid of who answers."""
    wrk = shutil.which("wrk")
    if wrk is None:
        raise StartError("wrk is not on PATH (Debian: apt-get install wrk; macOS: brew install wrk)")
    script = folder / "paths.lua"
    quoted = ",".join(f"[[{path}]]" for path in paths)
    script.write_text(
        f"local paths = {{{quoted}}}\nlocal n = 0\n"
        "request = function() n = n % #paths + 1; return wrk.format('GET', paths[n]) end\n"
    )
    command = [wrk, "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", "-s", str(script), url]
    before = processor_seconds(server)
    found = parsed(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return replace(found, processor=1000 * (processor_seconds(server) - before) / max(found.requests, 1))


def processor_seconds(server: int) -> float:
    """Processor time that a server's processes have used so far."""
    times = [child.cpu_times() for child in psutil.Process(server).children()]
    return sum(time.user + time.system for time in times)


def parsed(text: str) -> Load:
    """The few figures of wrk's report that are used."""
    failed = sum(int(number) for number in re.findall(r"Non-2xx or 3xx responses: (\d+)", text))
    if found := re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", text):
        failed += sum(int(number) for number in found.groups())
    (rate,) = re.findall(r"Requests/sec:\s+([\d.]+)", text)
    (requests,) = re.findall(r"(\d+) requests in", text)
    return Load(float(rate), _latency(text, 50), _latency(text, 99), failed, int(requests), 0.0)


def _latency(text: str, percent: int) -> float:
    ((value, unit),) = re.findall(rf"^\s+{percent}%\s+([\d.]+)(us|ms|s)$", text, re.MULTILINE)
    return float(value) * UNITS[unit]
