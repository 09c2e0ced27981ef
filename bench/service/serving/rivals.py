"""What the service is measured against besides a bare function: a Flask route, and counts in Redis.

python -m bench.service.serving.rivals flask      # (b) a Flask route that only returns bytes of a given size
python -m bench.service.serving.rivals homemade   # (c) co-occurrence counts in Redis sorted sets, queried per request
"""

import os
import sys
from typing import Any, Final

from flask import Flask, Response, jsonify, request

from bench.service.serving.bare import BODIES
from bench.service.serving.corpora import Served
from bench.service.serving.hosting import Hosted
from snapshot import connect, normalise

STORE: Final = "COTAG_REDIS_URL"


def flask() -> Flask:
    """One route, constant bytes: what Flask and gunicorn's threads take for themselves."""
    app = Flask(__name__, static_folder=None)

    @app.get("/<string:path>")
    def answer(path: str) -> Response:
        return Response(BODIES.get(path, b"{}"), mimetype="application/json")

    return app


def homemade() -> Flask:
    """Counts in Redis: one sorted set per tag, one hash of counts and one of clusters."""
    app = Flask(__name__, static_folder=None)
    redis = connect(os.environ[STORE])

    def neighbours(limit: int) -> list[dict[str, Any]]:
        tag = normalise(request.args["tag"])
        found: Any = redis.zrevrange(f"own:{tag}", 0, limit - 1, withscores=True)
        if not found:
            return []
        names = [name for name, _ in found]
        counts: Any = redis.hmget("own:counts", names)
        clusters: Any = redis.hmget("own:clusters", names)
        return [
            {"tag": name.decode(), "score": score, "count": int(count), "cluster": int(cluster)}
            for (name, score), count, cluster in zip(found, counts, clusters, strict=True)
        ]

    @app.get("/healthz")
    def healthz() -> Response:
        return jsonify(status="ok")

    @app.get("/related")
    def related() -> Response:
        return jsonify(related=neighbours(20))

    @app.get("/cloud")
    def cloud() -> Response:
        groups: dict[int, list[Any]] = {}
        for tag in neighbours(60):
            groups.setdefault(tag["cluster"], []).append(tag)
        return jsonify(groups=[{"id": name, "tags": tags} for name, tags in groups.items()])

    return app


def fill(url: str, served: Served) -> None:
    """Put the counts of a corpus where `homemade` looks for them."""
    redis = connect(url)
    snapshot = served.snapshot
    clusters = snapshot.partition.item_ids.tolist()
    redis.hset("own:counts", mapping=dict(zip(snapshot.keys, snapshot.counts.tolist(), strict=True)))
    redis.hset("own:clusters", mapping=dict(zip(snapshot.keys, clusters, strict=True)))
    together = served.together()
    for tag, key in enumerate(snapshot.keys):
        row = slice(together.indptr[tag], together.indptr[tag + 1])
        others = {
            snapshot.keys[other]: count
            for other, count in zip(together.indices[row], together.data[row].tolist(), strict=True)
        }
        if others:
            redis.zadd(f"own:{key}", others)
    redis.close()


if __name__ == "__main__":
    Hosted("gthread", {"flask": flask, "homemade": homemade}[sys.argv[1]]).run()
