"""Heartbeats in the store: which workers and schedulers live."""

import os
import socket
import time
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from typing import Final, Literal, cast

from redis import Redis

from snapshot.store import keys
from snapshot.store.records import Heartbeat, RecordReader, encode_record
from snapshot.store.snapshots import translate_errors

BEAT_SECONDS: Final = 5
"""A process writes its heartbeat this often."""

EXPIRY_SECONDS: Final = 20
"""A heartbeat that was not renewed for this long disappears: the process is dead, stopped or cut off."""


def new_heartbeat(part: Literal["worker", "scheduler"], now: float) -> Heartbeat:
    """The first heartbeat of this process."""
    try:
        release = version("cotag")
    except PackageNotFoundError:  # runs from its sources, without being installed
        release = ""
    return Heartbeat(part, socket.gethostname(), os.getpid(), started=now, at=now, cotag=release)


class Heartbeats:
    """Workers and schedulers write their heartbeats here; the service reads them.

    Each process has a key of its own, so that it expires by itself. A set names these keys: readers need no search.
    """

    def __init__(self, redis: Redis, count: Callable[[str], None] | None = None) -> None:
        self._redis = redis
        self._records = RecordReader(count)

    def write(self, heartbeat: Heartbeat) -> None:
        """Write or renew a heartbeat."""
        with translate_errors():
            pipe = self._redis.pipeline(transaction=True)
            pipe.set(keys.heartbeat(heartbeat.name), encode_record(heartbeat), ex=EXPIRY_SECONDS)
            pipe.sadd(keys.HEARTBEATS, heartbeat.name)
            pipe.expire(keys.HEARTBEATS, EXPIRY_SECONDS)
            pipe.execute()

    def remove(self, heartbeat: Heartbeat) -> None:
        """Remove the heartbeat of a process that ends."""
        with translate_errors():
            pipe = self._redis.pipeline(transaction=True)
            pipe.delete(keys.heartbeat(heartbeat.name))
            pipe.srem(keys.HEARTBEATS, heartbeat.name)
            pipe.execute()

    def forget_dead(self) -> None:
        """Remove the names of processes whose heartbeats have expired."""
        with translate_errors():
            dead = [name for name, raw in self._stored().items() if raw is None]
            if dead:
                self._redis.srem(keys.HEARTBEATS, *dead)

    def read(self) -> tuple[Heartbeat, ...]:
        """The heartbeats that have not expired, by name."""
        with translate_errors():
            stored = self._stored()
        records = (self._records.read(Heartbeat, keys.heartbeat(name), raw) for name, raw in stored.items())
        return tuple(heartbeat for heartbeat in records if heartbeat is not None)

    def _stored(self) -> dict[str, bytes | None]:
        members = cast("set[bytes]", self._redis.smembers(keys.HEARTBEATS))
        names = sorted(member.decode(errors="replace") for member in members)
        if not names:
            return {}
        values = cast("list[bytes | None]", self._redis.mget([keys.heartbeat(name) for name in names]))
        return dict(zip(names, values, strict=True))


class Pulse:
    """The heartbeat of this process, written when it is time to."""

    def __init__(
        self, redis: Redis, part: Literal["worker", "scheduler"], clock: Callable[[], float] = time.time
    ) -> None:
        self._heartbeats = Heartbeats(redis)
        self._clock = clock
        self._heartbeat = new_heartbeat(part, clock())
        self._next = 0.0

    @property
    def name(self) -> str:
        """What distinguishes this process from all others."""
        return self._heartbeat.name

    def beat(self, job: str | None = None) -> bool:
        """Write the heartbeat if it is time to, or if the job changed; whether it was written. None keeps the job."""
        changed = job is not None and job != self._heartbeat.job
        if not changed and time.monotonic() < self._next:
            return False
        heartbeat = replace(self._heartbeat, at=self._clock(), job=self._heartbeat.job if job is None else job)
        self._heartbeats.write(heartbeat)
        self._heartbeat = heartbeat
        self._next = time.monotonic() + BEAT_SECONDS
        return True

    def end(self) -> None:
        """Remove the heartbeat: this process ends."""
        self._heartbeats.remove(self._heartbeat)
