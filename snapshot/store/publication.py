"""The scripts that make a version current: when it is published, and when somebody activates or pins it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Final

import orjson
from redis import Redis

from snapshot.store import keys
from snapshot.store.records import Announcement, encode_record

SCRIPTS: Final = files("snapshot.store") / "scripts"
PUBLISH: Final = (SCRIPTS / "publish.lua").read_text(encoding="utf-8")
ACTIVATE: Final = (SCRIPTS / "activate.lua").read_text(encoding="utf-8")


@dataclass(frozen=True)
class PublishedBeside:
    """What is stored in the same step as a version.

    Attributes:
        step: its difference from the version before, for `…/changes`; empty if there is none.
        moment: now, in seconds since the epoch.
        if_served: notices for the outbox if the version is served, by id.
        if_held: the same if it is held.
    """

    step: bytes = b""
    moment: float = 0.0
    if_served: Mapping[str, str] = field(default_factory=dict)
    if_held: Mapping[str, str] = field(default_factory=dict)


def run_publish_script(
    redis: Redis, corpus: str, version: str, parts: Iterable[str], beside: PublishedBeside, *, serve: bool
) -> bool:
    """Make a staged version permanent; returns whether it is served. A pinned version holds every other one."""
    names = [
        keys.current(corpus),
        keys.versions(corpus),
        keys.CORPORA,
        keys.pinned(corpus),
        keys.changes(corpus),
        keys.OUTBOX,
        keys.NOTICES,
        *parts,
    ]
    served = redis.eval(
        PUBLISH,
        len(names),
        *names,
        version,
        corpus,
        keys.ANNOUNCEMENTS,
        _announcement(corpus, version),
        "1" if serve else "0",
        beside.step,
        str(beside.moment),
        orjson.dumps(beside.if_served),
        orjson.dumps(beside.if_held),
    )
    return bool(served == b"1")


def run_activate_script(redis: Redis, corpus: str, version: str, *, pin: bool) -> None:
    """Make a stored version current."""
    redis.eval(
        ACTIVATE,
        3,
        keys.current(corpus),
        keys.versions(corpus),
        keys.pinned(corpus),
        version,
        keys.ANNOUNCEMENTS,
        _announcement(corpus, version),
        "1" if pin else "0",
    )


def _announcement(corpus: str, version: str) -> bytes:
    return encode_record(Announcement(corpus, version))
