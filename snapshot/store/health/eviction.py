"""Warns of a store that may evict parts of snapshots when its memory is full."""

from redis import Redis

from snapshot.store.snapshots import translate_errors


def eviction_warning(redis: Redis) -> str | None:
    """What is wrong with the eviction policy of the store; None if it can tear no snapshot."""
    with translate_errors():
        memory = redis.info("memory")
    policy = str(memory.get("maxmemory_policy", ""))
    if not policy.startswith("allkeys-") or not int(memory.get("maxmemory", 0)):
        return None
    return (
        f"the store may evict any key when its memory is full (maxmemory-policy {policy}), which tears snapshots: "
        "set maxmemory-policy noeviction"
    )
