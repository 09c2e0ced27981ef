"""How often a process takes up pushed documents: soon, but never so often that it does little else."""

from typing import Final

POLL_SECONDS: Final = 1.0
"""The service asks the store at least this often, in case an announcement got lost."""

IDLE_SHARE: Final = 4.0
"""After taking up pushed documents, a process rests this many times as long as it took …"""

LONGEST_REST: Final = 1.0
"""… but not longer than so many seconds."""


class RebuildPace:
    """Which corpora have pushed documents to take up, and from when on they may be."""

    def __init__(self) -> None:
        self._waiting: set[str] = set()
        self._not_before: dict[str, float] = {}
        self._next_refresh = 0.0

    def add(self, corpus: str) -> None:
        """Note that documents of a corpus changed."""
        self._waiting.add(corpus)

    def due(self, now: float) -> list[str]:
        """The corpora whose changes may be taken up now; they no longer wait."""
        due = sorted(corpus for corpus in self._waiting if self._not_before.get(corpus, 0.0) <= now)
        self._waiting.difference_update(due)
        return due

    def note(self, corpus: str, began: float, ended: float) -> None:
        """Note how long it took to take up changes."""
        self._not_before[corpus] = ended + min(IDLE_SHARE * (ended - began), LONGEST_REST)

    def is_time(self, now: float) -> bool:
        """Whether everything is to be read again."""
        return not self._next_refresh - POLL_SECONDS <= now < self._next_refresh

    def refreshed(self, now: float) -> None:
        """Note that everything was read."""
        self._waiting.clear()
        self._next_refresh = now + POLL_SECONDS

    def wait(self, now: float) -> float:
        """How long to wait for the next announcement."""
        moments = [self._next_refresh, *(self._not_before.get(corpus, 0.0) for corpus in self._waiting)]
        return min(max(min(moments) - now, 0.001), POLL_SECONDS)
