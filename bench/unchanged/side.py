"""One side of the comparison: a program that measures the checkout that is first on its path.

It is started by path, with another checkout's packages, so it calls only what the compared checkouts have in common.
It reads one task a line and answers each with the seconds of processor time that it took.
"""

import io
import json
import os
import sys
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from wsgiref.types import WSGIApplication, WSGIEnvironment

from scipy.sparse import load_npz

PACKAGES = ("cocluster", "snapshot", "worker", "service")
SERVED = "demo"
STARTING_SECONDS = 120.0


def check_origin(checkout: Path) -> None:
    """Fail if a package comes from elsewhere: the comparison would be one of a checkout with itself."""
    for name in PACKAGES:
        origin = Path(str(__import__(name).__file__)).resolve()
        if not origin.is_relative_to(checkout.resolve()):
            raise SystemExit(f"{name} was loaded from {origin.parent}, not from {checkout}")


def fit(matrix: Path, times: int) -> float:
    """Seconds of all threads for one fit, the mean of several."""
    from cocluster import CoClustering  # noqa: PLC0415 - after the origin is checked

    X = load_npz(matrix)
    began = time.process_time()
    for _ in range(times):
        CoClustering().fit(X)
    return (time.process_time() - began) / times


def publish(corpus_file: Path, url: str) -> None:
    """Cluster a corpus as the worker does, and publish it in the store at `url`."""
    from snapshot import SnapshotStore, connect, encode  # noqa: PLC0415 - after the origin is checked
    from worker.clustering.cluster import cluster, load_documents  # noqa: PLC0415
    from worker.clustering.stages import Stages  # noqa: PLC0415
    from worker.corpora.declaration import Corpus  # noqa: PLC0415

    corpus = Corpus(name=SERVED, title=SERVED, source=str(corpus_file), path=corpus_file)
    stages = Stages(lambda *_: None)
    tagged, notes = load_documents(corpus, stages)
    client = connect(url)
    SnapshotStore(client).publish(encode(*cluster(corpus, tagged, datetime.now(UTC), stages, notes=notes)))
    client.close()


def started(url: str, answer_cache_mb: int) -> WSGIApplication:
    """The app that a web process serves, once it has loaded the snapshot."""
    from service.app import application  # noqa: PLC0415 - after the origin is checked

    os.environ.update(COTAG_REDIS_URL=url, COTAG_ANSWER_CACHE_MB=str(answer_cache_mb))
    app = _flask(application)
    give_up = time.monotonic() + STARTING_SECONDS
    while call(app, environ(f"/v1/corpora/{SERVED}"))[0] != "200 OK":
        if time.monotonic() > give_up:
            raise SystemExit(f"the service did not load {SERVED} within {STARTING_SECONDS:.0f} s")
        time.sleep(0.1)
    return app


def _flask(application: Callable[..., Any]) -> WSGIApplication:
    """Flask as a web process loads it. Since it runs behind an event loop, the process also has a log writer."""
    try:
        from runtime.log_writer import NO_DESCRIPTOR, LogWriter  # noqa: PLC0415 - checkouts before have none
    except ImportError:
        before: WSGIApplication = application()
        return before
    flask: WSGIApplication = application(LogWriter(NO_DESCRIPTOR, lambda _: b"")).flask
    return flask


def environ(address: str) -> WSGIEnvironment:
    """A GET request as a web server hands it over."""
    path, _, query = address.partition("?")
    return {
        "REQUEST_METHOD": "GET",
        "SCRIPT_NAME": "",
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "8000",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "HTTP_HOST": "127.0.0.1:8000",
        "HTTP_ACCEPT_ENCODING": "gzip",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }


def call(app: WSGIApplication, request: WSGIEnvironment) -> tuple[str, bytes]:
    """Status and body of one answer."""
    statuses: list[str] = []

    def start_response(status: str, *_: Any) -> Callable[[bytes], object]:
        statuses.append(status)
        return lambda _: None

    body = app(request, start_response)
    try:
        return statuses[0], b"".join(body)
    finally:
        close = getattr(body, "close", None)
        if close is not None:
            close()


def ask(app: WSGIApplication, addresses: Iterable[str]) -> float:
    """Seconds of this thread for one request; the thread that follows the store does not count."""
    requests = [environ(address) for address in addresses]
    began = time.thread_time()
    statuses = [call(app, request)[0] for request in requests]
    spent = time.thread_time() - began
    wrong = next((place for place, status in enumerate(statuses) if status != "200 OK"), None)
    if wrong is not None:
        address = f"{requests[wrong]['PATH_INFO']}?{requests[wrong]['QUERY_STRING']}"
        raise SystemExit(f"{address} was answered with {statuses[wrong]}")
    return spent / len(requests)


def main() -> None:
    """Measure what the lines of standard input ask for."""
    checkout, corpus_file, url = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the service's log, which is written as in production
    check_origin(checkout)
    publish(corpus_file, url)
    apps = {"computed": started(url, 0), "cached": started(url, 16)}
    for line in sys.stdin:
        task = json.loads(line)
        if "matrix" in task:
            seconds = fit(Path(task["matrix"]), task["times"])
        else:
            seconds = ask(apps[task["app"]], task["addresses"])
        print(json.dumps(seconds), file=answers, flush=True)
    os._exit(0)  # the threads that follow the store never end


if __name__ == "__main__":
    main()
