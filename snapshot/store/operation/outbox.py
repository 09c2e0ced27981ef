"""The outbox: notices of published, held and failed runs, and of trends, that wait in the store until they are sent.

A notice has no URL: that comes from the corpora file alone, so whoever can write to the store cannot make Cotag send
anything anywhere. Several schedulers may send: each takes one notice at a time, for a while.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, cast

from redis import Redis

from snapshot.store import keys
from snapshot.store.publication import SCRIPTS
from snapshot.store.records import RecordReader, encode_record
from snapshot.store.snapshots import translate_errors

Event = Literal["published", "held", "failed", "trend"]

CLAIM: Final = (SCRIPTS / "claim.lua").read_text(encoding="utf-8")
LEASE_SECONDS: Final = 60.0
"""How long a sender has for one notice; longer than any attempt takes."""


@dataclass(frozen=True)
class Notice:
    """One message for one webhook."""

    id: str
    corpus: str
    event: Event
    hook: str
    """A digest of the URL, by which the sender finds the webhook in the corpora file."""

    body: str
    attempts: int = 0


class Outbox:
    """The notices that wait."""

    def __init__(self, redis: Redis, count: Callable[[str], None] | None = None) -> None:
        self._redis = redis
        self._records = RecordReader(count)

    def add(self, notices: Mapping[str, str], due: float) -> None:
        """Put encoded notices into the outbox, by id."""
        if not notices:
            return
        with translate_errors():
            pipe = self._redis.pipeline(transaction=True)
            for number, notice in notices.items():
                pipe.hset(keys.NOTICES, number, notice)
                pipe.zadd(keys.OUTBOX, {number: due})
            pipe.execute()

    def claim(self, now: float) -> Notice | None:
        """Take a notice that is due, for a while; None if there is none. One that makes no sense is dropped."""
        with translate_errors():
            while True:
                taken = self._redis.eval(CLAIM, 2, keys.OUTBOX, keys.NOTICES, str(now), str(now + LEASE_SECONDS))
                if taken is None:
                    return None
                number, raw = cast("list[bytes]", taken)
                notice = self._records.read(Notice, f"{keys.NOTICES} {number.decode(errors='replace')}", raw)
                if notice is not None:
                    return notice
                self.drop(number.decode(errors="replace"))

    def drop(self, number: str) -> None:
        """Remove a notice: it was sent, or it never will be."""
        with translate_errors():
            pipe = self._redis.pipeline(transaction=True)
            pipe.zrem(keys.OUTBOX, number)
            pipe.hdel(keys.NOTICES, number)
            pipe.execute()

    def put_off(self, notice: Notice, due: float) -> None:
        """Send a notice again at another time."""
        with translate_errors():
            pipe = self._redis.pipeline(transaction=True)
            pipe.hset(keys.NOTICES, notice.id, encode_record(notice).decode())
            pipe.zadd(keys.OUTBOX, {notice.id: due})
            pipe.execute()
