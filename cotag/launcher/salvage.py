"""Repairs an embedded store whose append-only file is damaged: keeps all commands that it can read."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from cotag.errors import StartError
from cotag.launcher.store_server import LOG, server_command, wait_for_store

FILES: Final = "appendonlydir"
MANIFEST: Final = "appendonly.aof.manifest"
NAMES: Final = re.compile(r"appendonly\.aof\.(\d+)\.(base|incr)\.(rdb|aof)")
"""The files of the server: one base, and what was written after it."""

ARRAY: Final = re.compile(rb"\*(\d{1,9})\r\n")
BULK: Final = re.compile(rb"\$(\d{1,9})\r\n")
TRANSACTION: Final = re.compile(rb"(?i)\*1\r\n\$\d+\r\n(multi|exec)\r\n")
"""What marks transactions is left out: half a one would swallow all that follows."""


@dataclass(frozen=True)
class Repair:
    """What became of a damaged store: where the damaged files are, and what could be read of them."""

    aside: Path
    reason: str
    read_bytes: int
    unread_bytes: int

    def __str__(self) -> str:
        """A message for operators."""
        kept = (
            "nothing of it can be read. Services answer from their copies on disk, every corpus runs anew; documents "
            "that were pushed are only in the damaged file"
            if self.read_bytes == 0
            else f"{self.unread_bytes:,} bytes of it cannot be read, all else is kept, and every corpus runs anew"
        )
        return f"the append-only file of the store is damaged ({self.reason}): {kept}. The damaged file is {self.aside}"


def repair(binary: str, folder: Path) -> Repair | None:
    """Put files in place that the server accepts; None if the server accepts those there, or no others either."""
    files, scratch = folder / FILES, folder / "repair"
    if not files.exists() or _starts(binary, folder):
        return None
    reason = last_words(folder / LOG)
    size = sum(path.stat().st_size for path in files.iterdir() if NAMES.fullmatch(path.name))
    for keep in ({"base", "incr"}, {"incr"}, set[str]()):
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        read = _salvage(files, scratch / FILES, keep) if keep else 0
        if _starts(binary, scratch):
            aside = folder / f"damaged-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
            files.rename(aside)
            (scratch / FILES).rename(files)
            shutil.rmtree(scratch)
            return Repair(aside, reason, read, size - read)
    shutil.rmtree(scratch, ignore_errors=True)
    return None


def last_words(log: Path) -> str:
    """The last warning in the log of a server."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return "it has no log"
    warnings = [line.partition(" # ")[2] for line in lines if " # " in line]
    reason = next((warning for warning in reversed(warnings) if warning.strip()), "its log has no reason")
    return reason.partition(": make a backup")[0].rstrip(".")


def _starts(binary: str, folder: Path) -> bool:
    """Whether a server starts with the files of a folder."""
    with tempfile.TemporaryDirectory(prefix="cotag-") as private:
        socket = Path(private) / "store.sock"
        with subprocess.Popen(server_command(binary, folder, socket), stdout=subprocess.DEVNULL) as server:  # noqa: S603
            try:
                wait_for_store(f"unix://{socket}", give_up=lambda: server.poll() is not None)
            except StartError:
                return False
            finally:
                with suppress(ProcessLookupError):
                    server.terminate()
    return True


def _salvage(files: Path, target: Path, kinds: Collection[str]) -> int:
    """Write a manifest, and files of these kinds with all commands that can be read; returns how many bytes that is."""
    target.mkdir()
    known = sorted((int(match[1]), match[2], path) for path in files.iterdir() if (match := NAMES.fullmatch(path.name)))
    outdated = [path for _, kind, path in known if kind == "base"][:-1]
    lines, read = [], 0
    for number, kind, path in known:
        if kind not in kinds or path in outdated:
            continue
        if path.suffix == ".rdb":
            shutil.copyfile(path, target / path.name)
            read += path.stat().st_size
        else:
            read += _copy_commands(path, target / path.name)
        lines.append(f"file {path.name} seq {number} type {kind[0]}\n")
    (target / MANIFEST).write_text("".join(lines))
    return read


def _copy_commands(source: Path, target: Path) -> int:
    data = source.read_bytes()
    read = 0
    with target.open("wb") as file:
        for start, end in commands(data):
            read += end - start
            if not TRANSACTION.match(data, start, end):
                file.write(data[start:end])
    return read


def commands(data: bytes) -> Iterator[tuple[int, int]]:
    """Begin and end of every complete command, as the server writes them: an array of strings, each with its length."""
    position = 0
    while 0 <= position < len(data):
        end = _command_end(data, position)
        if end is None:
            position = data.find(b"*", position + 1)
        else:
            yield position, end
            position = end


def _command_end(data: bytes, start: int) -> int | None:
    """The end of the command that begins here; None if none does."""
    array = ARRAY.match(data, start)
    if array is None:
        return None
    position = array.end()
    for _ in range(int(array[1])):
        bulk = BULK.match(data, position)
        if bulk is None:
            return None
        position = bulk.end() + int(bulk[1])
        if data[position : position + 2] != b"\r\n":
            return None
        position += 2
    return position
