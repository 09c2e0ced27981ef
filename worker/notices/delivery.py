"""Sends notices from the outbox to webhooks, from a thread of the scheduler: nothing else waits for a receiver."""

import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import replace
from http.client import HTTPException
from threading import Event as Stop
from threading import Thread
from typing import IO, Any, Final

import structlog
from redis import Redis

from snapshot import StoreUnavailable
from snapshot.store.operation.counters import count_bad_record, count_notice
from snapshot.store.operation.outbox import Notice, Outbox
from worker.corpora.declaration import Corpus
from worker.corpora.webhooks import Webhook, host_of
from worker.errors import CorpusError

PAUSES: Final = (10, 60, 300, 900, 3600, 7200, 14_400, 21_600, 38_330)
"""Seconds between the ten attempts; together a day."""

TIMEOUT_SECONDS: Final = 10.0
IDLE_SECONDS: Final = 1.0

log = structlog.get_logger()


class NotDelivered(Exception):
    """A receiver did not take a notice; the message says why, without its URL."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect is an error: a receiver must not send notices elsewhere."""

    def redirect_request(  # noqa: PLR0917 - as urllib calls it
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> None:
        """Follow nothing."""


class Deliverer:
    """Sends what is due. Several may run; each notice is with one of them at a time."""

    def __init__(
        self, redis: Redis, corpora: Callable[[], Mapping[str, Corpus]], clock: Callable[[], float] = time.time
    ) -> None:
        self._redis = redis
        self._corpora = corpora
        self._clock = clock
        self._outbox = Outbox(redis, lambda kind: count_bad_record(redis, kind))
        self._opener = urllib.request.build_opener(_NoRedirects)

    def start(self, stop: Stop) -> None:
        """Send from a thread until `stop` is set."""
        Thread(target=self._run, args=(stop,), name="webhooks", daemon=True).start()

    def _run(self, stop: Stop) -> None:
        while not stop.wait(IDLE_SECONDS):
            try:
                while not stop.is_set() and self.deliver_next():
                    pass
            except StoreUnavailable:
                continue  # the scheduler says so; what was taken is due again soon

    def deliver_next(self) -> bool:
        """Send one notice that is due; False if there is none."""
        notice = self._outbox.claim(self._clock())
        if notice is None:
            return False
        hook = self._hook(notice)
        if hook is None:
            log.warning("a notice has no webhook any more", corpus=notice.corpus, notice=notice.id)
            self._end(notice, "dropped")
            return True
        try:
            self._send(hook, notice)
        except (NotDelivered, CorpusError) as error:
            self._note_failure(notice, str(error))
        else:
            log.info("notice sent", corpus=notice.corpus, notice=notice.id, event_type=notice.event)
            self._end(notice, "sent")
        return True

    def _hook(self, notice: Notice) -> Webhook | None:
        corpus = self._corpora().get(notice.corpus)
        hooks = corpus.webhooks if corpus is not None else ()
        return next((hook for hook in hooks if hook.digest == notice.hook), None)

    def _send(self, hook: Webhook, notice: Notice) -> None:
        url, body, now = hook.address(), notice.body.encode(), int(self._clock())
        request = urllib.request.Request(  # noqa: S310 - the corpora file checks that it is http or https
            url,
            data=body,
            method="POST",
            headers={
                "Content-Type": "application/json",
                "User-Agent": "Cotag",
                "webhook-id": notice.id,
                "webhook-timestamp": str(now),
                "webhook-signature": hook.signature(notice.id, now, body),
            },
        )
        try:
            with self._opener.open(request, timeout=TIMEOUT_SECONDS):
                pass
        except urllib.error.HTTPError as error:
            error.close()
            raise NotDelivered(f"{host_of(url)} answered {error.code}") from None
        except (OSError, HTTPException, ValueError) as error:
            raise NotDelivered(f"{host_of(url)} does not answer: {type(error).__name__}") from None

    def _note_failure(self, notice: Notice, reason: str) -> None:
        tried = replace(notice, attempts=notice.attempts + 1)
        if tried.attempts > len(PAUSES):
            log.error("notice given up", corpus=notice.corpus, notice=notice.id, attempts=tried.attempts, reason=reason)
            self._end(notice, "given-up")
            return
        pause = PAUSES[tried.attempts - 1]
        log.warning("notice not sent", corpus=notice.corpus, notice=notice.id, reason=reason, next_attempt=pause)
        self._outbox.put_off(tried, self._clock() + pause)
        count_notice(self._redis, notice.corpus, "not-sent")

    def _end(self, notice: Notice, result: str) -> None:
        self._outbox.drop(notice.id)
        count_notice(self._redis, notice.corpus, result)
