"""Hosts in networks of their own, which can be cut off from each other. Needs Linux, and iproute2 and util-linux.

All of it is inside a namespace of the process that `inside_namespace` starts, so nothing is left when that ends.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from typing import Final

from bench.system.sentinels.store import Host

SERVER_PORT: Final = 6379
SENTINEL_PORT: Final = 26379
OUTSIDE: Final = "10.77.0.254"
"""The address of this process; it reaches all hosts."""


def inside_namespace(command: Sequence[str]) -> list[str]:
    """The command that runs a Python module as the administrator of a network and of mounts of its own."""
    return ["unshare", "--map-root-user", "--net", "--mount", sys.executable, "-m", *command]


def refused() -> str:
    """Why there can be no such networks here; empty if there can."""
    missing = [program for program in ("unshare", "ip") if shutil.which(program) is None]
    if missing:
        return f"{' and '.join(missing)} (apt-get install iproute2 util-linux)"
    tried = subprocess.run(inside_namespace([__name__]), check=False, capture_output=True, text=True)
    return "" if tried.returncode == 0 else f"the right to make network namespaces: {tried.stderr.strip()[-300:]}"


def build() -> list[Host]:
    """Three hosts with an address each, joined by a bridge."""
    _run("mount", "-t", "tmpfs", "tmpfs", "/run")
    for rest in ("set lo up", "add switch type bridge", "set switch up"):
        _run("ip", "link", *rest.split())
    _run("ip", "addr", "add", f"{OUTSIDE}/24", "dev", "switch")
    return [_host(number) for number in (1, 2, 3)]


def cut(host: Host, others: Iterable[Host]) -> None:
    """Nothing passes between a host and others; the rest reach it as before."""
    for other in others:
        _run(*host.prefix, "ip", "route", "add", "blackhole", f"{other.address}/32")


def join(host: Host, others: Iterable[Host]) -> None:
    """Undo `cut`."""
    for other in others:
        _run(*host.prefix, "ip", "route", "del", "blackhole", f"{other.address}/32")


def unplug(host: Host) -> None:
    """Nothing reaches a host any more, and nobody is told."""
    _run("ip", "link", "set", _port(host), "down")


def plug(host: Host) -> None:
    """Undo `unplug`."""
    _run("ip", "link", "set", _port(host), "up")


def _port(host: Host) -> str:
    return f"port{host.address.rpartition('.')[2]}"


def _host(number: int) -> Host:
    name, port, address = f"host{number}", f"port{number}", f"10.77.0.{number}"
    _run("ip", "netns", "add", name)
    _run("ip", "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", name)
    _run("ip", "link", "set", port, "master", "switch", "up")
    host = Host(address, SERVER_PORT, SENTINEL_PORT, ("ip", "netns", "exec", name))
    for rest in ("link set lo up", f"addr add {address}/24 dev eth0", "link set eth0 up"):
        _run(*host.prefix, "ip", *rest.split())
    return host


def _run(*command: str) -> None:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise OSError(f"{' '.join(command)}: {done.stderr.strip()}")


if __name__ == "__main__":
    build()
