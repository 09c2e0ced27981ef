"""What the service is measured against, under the same gunicorn settings.

python -m bench.serving.rivals bare       # (a) routes that return bytes of a given size, and do nothing else
python -m bench.serving.rivals homemade   # (b) co-occurrence counts in Redis sorted sets, queried per request
"""

import os
import sys
from typing import Any

import orjson
from flask import Flask, Response, jsonify, request
from gunicorn.app.base import BaseApplication

from bench.serving.corpora import Served
from service.server import options
from service.settings import ServiceSettings
from snapshot import connect, normalise, read_settings

SIZES = "BENCH_SIZES"
"""JSON: how large the answers of (a) are, by path."""


def bare() -> Flask:
    """One route, constant bytes: what Flask and gunicorn take for themselves."""
    app = Flask(__name__, static_folder=None)
    bodies = {path: orjson.dumps({"body": "x" * (size - 11)}) for path, size in orjson.loads(os.environ[SIZES]).items()}

    @app.get("/<string:path>")
    def answer(path: str) -> Response:
        return Response(bodies.get(path, b"{}"), mimetype="application/json")

    return app


def homemade() -> Flask:
    """Counts in Redis: one sorted set per tag, one hash of counts and one of clusters, one sorted set of all tags."""
    app = Flask(__name__, static_folder=None)
    redis = connect(read_settings(ServiceSettings).redis_url)

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

    @app.get("/related")
    def related() -> Response:
        return jsonify(related=neighbours(20))

    @app.get("/cloud")
    def cloud() -> Response:
        groups: dict[int, list[Any]] = {}
        for tag in neighbours(60):
            groups.setdefault(tag["cluster"], []).append(tag)
        return jsonify(groups=[{"id": name, "tags": tags} for name, tags in groups.items()])

    @app.get("/tags")
    def tags() -> Response:
        prefix = normalise(request.args["prefix"]).encode()
        names: Any = redis.zrangebylex("own:tags", b"[" + prefix, b"[" + prefix + b"\xff")
        counts: Any = redis.hmget("own:counts", names) if names else []
        best = sorted(zip(names, counts, strict=True), key=lambda pair: -int(pair[1]))[:20]
        return jsonify(tags=[{"tag": name.decode(), "count": int(count)} for name, count in best])

    return app


def fill(url: str, served: Served) -> None:
    """Put the counts of a corpus where `homemade` looks for them."""
    redis = connect(url)
    pipe = redis.pipeline(transaction=False)
    snapshot = served.snapshot
    clusters = snapshot.partition.item_ids.tolist()
    for key, count, cluster in zip(snapshot.keys, snapshot.counts.tolist(), clusters, strict=True):
        pipe.hset("own:counts", key, count)
        pipe.hset("own:clusters", key, cluster)
        pipe.zadd("own:tags", {key: 0})
    for (a, b), count in served.pairs.items():
        pipe.zadd(f"own:{a}", {b: count})
        pipe.zadd(f"own:{b}", {a: count})
    pipe.execute()


class Rival(BaseApplication):
    """Another app under the service's own gunicorn options."""

    def __init__(self, app: Any) -> None:
        self._app = app
        super().__init__()

    def load_config(self) -> None:
        """Called by gunicorn."""
        for name, value in options(read_settings(ServiceSettings)).items():
            if name != "child_exit":
                self.cfg.set(name, value)

    def load(self) -> Any:
        """Called by gunicorn."""
        return self._app()


if __name__ == "__main__":
    Rival({"bare": bare, "homemade": homemade}[sys.argv[1]]).run()
