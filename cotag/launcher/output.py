"""What `cotag up` prints: its own lines and those of its parts, for people or as JSON lines."""

from datetime import UTC, datetime
from typing import Literal

import orjson

from runtime.log_writer import LogWriter


class Output:
    """Prints from a thread of its own, so that neither parts nor supervision ever wait for the reader."""

    def __init__(self, log_format: Literal["console", "json"], descriptor: int) -> None:
        self._json = log_format == "json"
        self._writer = LogWriter(descriptor, self._lost_line)

    def say(self, text: str, level: str = "info") -> None:
        """Print a line of the launcher itself."""
        self._writer.write(self._own_line(text, level))

    def forward(self, part: str, line: bytes) -> None:
        """Print a line of a part. JSON lines of Cotag name their part already; any other line is put into one.

        It may wait a moment for others: a thread woken for each would cost more than the request that is logged.
        """
        text = line.removesuffix(b"\n")
        if not self._json:
            self._writer.write(b"%-9s | %s\n" % (part.encode(), text), at_once=False)
        elif _names_its_part(text):
            self._writer.write(text + b"\n", at_once=False)
        else:
            self._writer.write(_json_line(part, text.decode(errors="replace"), "warning"), at_once=False)

    def close(self) -> None:
        """Print the last lines, unless the reader is stuck."""
        self._writer.flush()
        self._writer.close()

    def _own_line(self, text: str, level: str) -> bytes:
        return _json_line("up", text, level) if self._json else f"{'cotag':<9} | {text}\n".encode()

    def _lost_line(self, lost: int) -> bytes:
        return self._own_line(f"{lost} lines were lost", "warning")


def _names_its_part(line: bytes) -> bool:
    try:
        fields = orjson.loads(line)
    except orjson.JSONDecodeError:
        return False
    return isinstance(fields, dict) and "part" in fields


def _json_line(part: str, text: str, level: str) -> bytes:
    fields = {"event": text, "level": level, "timestamp": datetime.now(UTC), "part": part}
    return orjson.dumps(fields, option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_UTC_Z)
