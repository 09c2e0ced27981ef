"""Shows how far a fit is: one line that is written over, in terminals and notebooks, and gone when the fit ends.

With `files` and `plot` this is one of the modules of the package that are not pure: it reads a clock and writes.
"""

import sys
from collections.abc import Callable
from time import monotonic
from typing import Any, Final, Self

DELAY: Final = 1.0
"""Seconds before the line appears: a short fit shows nothing."""

INTERVAL: Final = 0.2
"""Seconds between two states of the line."""


def is_watched(stream: Any) -> bool:
    """Whether somebody sees at once what is written here: a terminal, or a notebook."""
    if stream is None:
        return False
    return bool(stream.isatty()) or type(stream).__module__.startswith("ipykernel.")


class ProgressLine:
    """Called with (stage, done, total); shows the stage, its share and the seconds. A context that clears the line."""

    def __init__(
        self, stream: Any = None, *, delay: float = DELAY, clock: Callable[[], float] = monotonic, shown: bool = True
    ) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._clock, self._shown = clock, shown
        self._start = clock()
        self._next = self._start + delay
        self._width = 0

    @classmethod
    def of(cls, verbose: bool | None) -> Self:
        """The line of a parameter `verbose`: None shows it where somebody watches, True everywhere and at once."""
        if verbose is None:
            return cls(shown=is_watched(sys.stderr))
        return cls(delay=0.0, shown=bool(verbose))

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show a state, unless the last one is too recent."""
        now = self._clock()
        if not self._shown or now < self._next:
            return
        self._next = now + INTERVAL
        share = f" {100 * done // max(total, 1)} %" if total > 1 else ""
        self._write(f"clustering: {stage}{share}, {now - self._start:.0f} s")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._width:
            self._write("")
            self._stream.write("\r")
            self._stream.flush()

    def _write(self, text: str) -> None:
        self._stream.write("\r" + text.ljust(self._width))
        self._stream.flush()
        self._width = len(text)
