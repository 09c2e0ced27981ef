"""Sends notices from the outbox to webhooks, from threads of the scheduler: nothing waits for a slow receiver."""

import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import replace
from http.client import HTTPException
from threading import Event as Stop
from threading import Thread
from typing import Final

import structlog
from redis import Redis

from snapshot import StoreUnavailable
from snapshot.store.operation.counters import count_bad_record, count_notice
from snapshot.store.operation.outbox import Notice, Outbox
from worker.corpora.declaration import Corpus
from worker.corpora.webhooks import Webhook, host_of
from worker.errors import CorpusError
from worker.notices.deadline import Deadline

PAUSES: Final = (10, 60, 300, 900, 3600, 7200, 14_400, 21_600, 38_330)
"""Seconds between the ten attempts; together a day."""

TIMEOUT_SECONDS: Final = 10.0
"""How long a receiver may say nothing."""

DEADLINE_SECONDS: Final = 20.0
"""How long a whole request may take, however often the receiver sends a byte; less than the lease of a notice."""

MOST_RECEIVERS: Final = 16
"""Receivers to which notices are sent at a time, each by a thread of its own."""

BUSY_SECONDS: Final = 5.0
"""How much later a notice is due whose receiver still answers another one."""

IDLE_SECONDS: Final = 1.0

log = structlog.get_logger()


class NotDelivered(Exception):
    """A receiver did not take a notice; the message says why, without its URL."""


class Deliverer:
    """Sends what is due. Several may run; each notice is with one of them at a time."""

    def __init__(
        self, redis: Redis, corpora: Callable[[], Mapping[str, Corpus]], clock: Callable[[], float] = time.time
    ) -> None:
        self._redis = redis
        self._corpora = corpora
        self._clock = clock
        self._outbox = Outbox(redis, lambda kind: count_bad_record(redis, kind))
        self._busy: set[str] = set()
        """The receivers that answer a notice at the moment."""

    def start(self, stop: Stop) -> None:
        """Send from a thread until `stop` is set."""
        Thread(target=self._run, args=(stop,), name="webhooks", daemon=True).start()

    def _run(self, stop: Stop) -> None:
        while not stop.wait(IDLE_SECONDS):
            try:
                while not stop.is_set() and self.hand_out_next():
                    pass
            except StoreUnavailable:
                continue  # the scheduler says so; what was taken is due again soon

    def hand_out_next(self) -> bool:
        """Have a thread send one notice that is due; False if there is none. Later, if its receiver is busy."""
        notice = self._outbox.claim(self._clock())
        if notice is None:
            return False
        if notice.hook in self._busy or len(self._busy) >= MOST_RECEIVERS:
            self._outbox.put_off(notice, self._clock() + BUSY_SECONDS)
            return True
        self._busy.add(notice.hook)
        Thread(target=self._deliver_alone, args=(notice,), name="webhook", daemon=True).start()
        return True

    def _deliver_alone(self, notice: Notice) -> None:
        try:
            self._deliver(notice)
        except StoreUnavailable:
            pass  # what was taken is due again soon
        finally:
            self._busy.discard(notice.hook)

    def deliver_next(self) -> bool:
        """Send one notice that is due, and wait for its receiver; False if there is none."""
        notice = self._outbox.claim(self._clock())
        if notice is None:
            return False
        self._deliver(notice)
        return True

    def _deliver(self, notice: Notice) -> None:
        hook = self._hook(notice)
        if hook is None:
            log.warning("a notice has no webhook any more", corpus=notice.corpus, notice=notice.id)
            self._end(notice, "dropped")
            return
        try:
            self._send(hook, notice)
        except (NotDelivered, CorpusError) as error:
            self._note_failure(notice, str(error))
        else:
            log.info("notice sent", corpus=notice.corpus, notice=notice.id, event_type=notice.event)
            self._end(notice, "sent")

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
            with Deadline(DEADLINE_SECONDS) as deadline, deadline.opener.open(request, timeout=TIMEOUT_SECONDS):
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
