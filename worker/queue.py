"""RQ, set up once: one queue, JSON instead of pickle, jobs that leave nothing behind."""

import logging
import signal
import time
from types import FrameType
from typing import TYPE_CHECKING, Final

import structlog
from redis import Redis
from redis.exceptions import RedisError
from rq import Queue, Worker
from rq.exceptions import StopRequested
from rq.serializers import JSONSerializer

from snapshot import connect
from worker.corpora import Corpus

if TYPE_CHECKING:
    from redis.client import Pipeline

NAME: Final = "cotag"
KEPT_SECONDS: Final = 86400
"""How long RQ remembers a job that has ended."""

PAUSE_SECONDS: Final = 1.0
"""Between two looks whether the store is back."""

log = structlog.get_logger()


def job_queue(redis: Redis) -> Queue:
    """The queue of all re-clustering jobs."""
    return Queue(NAME, connection=redis, serializer=JSONSerializer)


def enqueue(queue: Queue, corpus: Corpus, job: str, *, fresh: bool, pipeline: "Pipeline") -> None:
    """Put a run on the queue when the pipeline is executed."""
    queue.enqueue_call(
        "worker.job.recluster",
        args=[corpus.name, job],
        kwargs={"fresh": fresh},
        timeout=corpus.time_limit_seconds,
        result_ttl=KEPT_SECONDS,
        failure_ttl=KEPT_SECONDS,
        job_id=job,
        description=f"re-cluster {corpus.name}",
        pipeline=pipeline,
    )


class PatientWorker(Worker):
    """RQ's worker, which knows that it was told to end, and looks for a lost store every few seconds, not every minute.

    It has no channel for RQ's own commands: nothing here sends them.
    """

    max_connection_wait_time = 5.0
    told_to_end = False

    def handle_warm_shutdown_request(self) -> None:
        """The first signal."""
        self.told_to_end = True

    def subscribe(self) -> None:
        """Open no channel."""


def work(url: str) -> None:
    """Run jobs until a signal ends it; the first lets a job finish, a second one stops it.

    A store that is away is waited for. RQ does so only while it waits for a job, and gives up at any other moment.
    """
    logging.getLogger("rq.worker").addFilter(_unless_the_store_is_away)
    _end_at_any_signal()
    _wait_for_store(url)
    while not _work_until_it_breaks_off(url):
        time.sleep(PAUSE_SECONDS)
        _wait_for_store(url)


def _work_until_it_breaks_off(url: str) -> bool:
    """Whether it was told to end. If not, RQ gave up, nearly always because the store went away."""
    reason = "said above, or the store was away for a moment"
    worker = None
    # RQ waits for jobs longer than others wait for an answer, and sets that for connections not made yet.
    redis = connect(url)
    try:
        worker = PatientWorker([job_queue(redis)], connection=redis, serializer=JSONSerializer)
        worker.work(logging_level="WARNING", with_scheduler=False)
    except RedisError as error:
        reason = str(error)
    if worker is not None:
        _let_finish(worker)
    _end_at_any_signal()
    redis.close()
    if worker is not None and worker.told_to_end:
        return True
    log.warning("work broke off, beginning again", reason=reason)
    return False


def _end_at_any_signal() -> None:
    """Until RQ sets its own handlers: there is no job to wait for."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)


def _let_finish(worker: PatientWorker) -> None:
    """Wait for the job that RQ left behind when it gave up, so that there are never two at a time."""
    while worker.horse_pid:
        try:
            worker.wait_for_horse()
        except (RedisError, StopRequested):
            continue  # a first signal; what RQ asks the store about it does not matter here
        return


def _wait_for_store(url: str) -> None:
    redis = connect(url)
    away = False
    while True:
        try:
            redis.ping()
        except RedisError as error:
            if not away:
                log.warning("the store is away, waiting for it", reason=str(error))
            away = True
            time.sleep(PAUSE_SECONDS)
        else:
            redis.close()
            return


def _unless_the_store_is_away(record: logging.LogRecord) -> bool:
    """RQ prints a traceback for it; that it is away is said in a line of ours."""
    return not (record.exc_info and isinstance(record.exc_info[1], RedisError))


def _end(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)
