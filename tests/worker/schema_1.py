"""A store as the Cotag before schema 2 left it: the documents of tests/clustered.py, published with schema 1."""

from pathlib import Path

import orjson

from snapshot.store import keys

GOLDEN = Path(__file__).parents[1] / "snapshot" / "golden" / "schema-1"


def publish_schema_1(redis):
    """Make the old version the current one of its corpus, as its publisher did; returns corpus and version."""
    parts = {"meta": "meta.json", "arrays": "arrays.npz", "documents": "documents.npz"}
    blobs = {part: (GOLDEN / name).read_bytes() for part, name in parts.items()}
    meta = orjson.loads(blobs["meta"])
    corpus, version = meta["corpus"], meta["version"]
    assert meta["schema"] == 1
    for part, blob in blobs.items():
        redis.set(keys.part(corpus, version, part), blob)
    redis.zadd(keys.versions(corpus), {version: 0})
    redis.set(keys.current(corpus), version)
    redis.sadd(keys.CORPORA, corpus)
    return corpus, version
