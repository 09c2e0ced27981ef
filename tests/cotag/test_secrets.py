"""Secrets: no output of any command shows the password of the store, and metrics are not open to the world."""

import logging
import socket

import pytest
import structlog

from cotag.logs import WriterHandler, configure
from runtime.log_writer import LogWriter
from runtime.settings import check_redis_url, without_password
from snapshot import StoreSettings
from tests.cotag.test_cli import cotag, refused
from worker.runs.metrics import serve_metrics

__all__ = ["cotag"]

PASSWORD = "hunter2"  # noqa: S105 - made up
COMMANDS = [
    *(("up",), ("worker",), ("scheduler",), ("serve",), ("corpora",), ("jobs",), ("jobs", "--cancel", "x")),
    *(("recluster", "x"), ("snapshots", "x"), ("ping",)),
]
INVALID = [
    f"redis://:{PASSWORD}@host:many/0",
    f"redis://:{PASSWORD}/x@host:6379/0",
    f"redis:/:{PASSWORD}@host",
    f"http://:{PASSWORD}@host/0",
    f"redis+sentinel://:{PASSWORD}@host:26379",
    f"redis-cluster://:{PASSWORD}@host:6379",
    f"redis://:{PASSWORD}@one:6379,two:6379/0",
]


@pytest.mark.parametrize("url", INVALID)
def test_a_url_that_is_refused_is_not_repeated(cotag, tmp_path, url):
    """One sentence says what is wrong; no command repeats the password in it."""
    for command in COMMANDS:
        result = cotag(*command, COTAG_REDIS_URL=url, COTAG_DATA_DIR=str(tmp_path))
        assert "COTAG_REDIS_URL: " in refused(result)
        assert PASSWORD not in result.stdout + result.stderr


@pytest.mark.parametrize("query", ["", f"?password={PASSWORD}"])
def test_a_store_that_does_not_answer_or_does_not_know_the_password_is_told_without_it(cotag, tmp_path, query):
    url = f"redis://me:{PASSWORD}@127.0.0.1:1/0{query}"
    for command in COMMANDS[4:] + COMMANDS[:1]:
        result = cotag(*command, COTAG_REDIS_URL=url, COTAG_DATA_DIR=str(tmp_path), COTAG_PORT="0")
        assert PASSWORD not in result.stdout + result.stderr + refused(result)


def test_a_wrong_password_is_told_without_it(cotag, tmp_path, redis, redis_url):
    redis.config_set("requirepass", "another")
    try:
        url = redis_url.replace("unix://", f"unix://:{PASSWORD}@")
        for command in COMMANDS[4:]:
            result = cotag(*command, COTAG_REDIS_URL=url, COTAG_DATA_DIR=str(tmp_path))
            assert PASSWORD not in result.stdout + result.stderr + refused(result)
    finally:
        redis.config_set("requirepass", "")


def test_tracebacks_show_no_variables(monkeypatch):
    """The default of structlog prints those of every frame."""
    lines = []
    monkeypatch.setattr(LogWriter, "write", lambda _self, line: lines.append(line.decode()))
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        configure(StoreSettings(log_format="console"), "worker").close()
        (handler,) = (each for each in root.handlers if isinstance(each, WriterHandler))
        url = f"redis://:{PASSWORD}@host"
        try:
            int(url[:5])
        except ValueError:
            structlog.stdlib.get_logger().exception("broken")
        handler.flush()
    finally:
        root.handlers[:], root.level = handlers, level
        structlog.reset_defaults()
    text = "".join(lines)
    assert "ValueError" in text
    assert PASSWORD not in text


def test_urls_are_shown_without_their_password():
    assert without_password(f"redis://me:p@{PASSWORD}@host:6379/0") == "redis://***@host:6379/0"
    assert without_password(f"redis://host/0?password={PASSWORD}&db=1") == "redis://host/0?password=***&db=1"
    assert without_password("unix:///a/b@c.sock") == "unix:///a/b@c.sock"


@pytest.mark.parametrize("url", ["redis://h:6379/3", "rediss://u:p%40@h/0", "unix:///a/b@c.sock", "unix://:p@/a?db=2"])
def test_usual_urls_are_accepted(url):
    assert check_redis_url(url) == url


def test_metrics_listen_on_the_address_of_the_service(redis_url):
    """Not on all addresses: another address of this machine does not answer."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    serve_metrics(redis_url, "127.0.0.1", port, LogWriter(0, bytes))
    socket.create_connection(("127.0.0.1", port), timeout=5.0).close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", port), timeout=5.0)
