"""Runs jobs from the queue with RQ's worker, through outages of the store."""

import logging
import signal
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Final

import structlog
from redis.exceptions import RedisError
from rq import Queue, Worker
from rq.exceptions import StopRequested
from rq.job import Job
from rq.serializers import JSONSerializer

from snapshot import BEAT_SECONDS, Heartbeat, Heartbeats, StoreUnavailable, connect, new_heartbeat
from snapshot.confirming import confirmation_warning
from snapshot.eviction import eviction_warning
from snapshot.heartbeats import add_heartbeat
from snapshot.log_writer import flush_logs
from snapshot.waiting import is_away, wait_for_answer
from worker.declared import declarations_in
from worker.queue import ReclusterJob, job_queue

if TYPE_CHECKING:
    from resource import struct_rusage

    from redis.client import Pipeline

PAUSE_SECONDS: Final = 1.0
"""Pause between two checks whether the store is back."""

RQ_SECONDS: Final = 15
"""RQ waits for a job so much shorter than a worker's time to live, and then sends a sign of life."""

log = structlog.get_logger()


class PatientWorker(Worker):
    """RQ's worker, which tracks shutdown, and keeps monitoring its job through store outages.

    It opens no channel for RQ's own commands: Cotag does not send any. With RQ's signs of life, which come every few
    seconds, it writes Cotag's heartbeat. This needs no thread: a process with threads could not safely fork.
    """

    max_connection_wait_time = 5.0
    told_to_end = False

    def __init__(self, url: str, corpora: Path, heartbeat: Heartbeat) -> None:
        # RQ needs a longer timeout while it waits for jobs, and sets it for connections that are not open yet.
        redis = connect(url)
        super().__init__(
            [job_queue(redis)],
            connection=redis,
            job_class=ReclusterJob,
            serializer=JSONSerializer,
            worker_ttl=BEAT_SECONDS + RQ_SECONDS,
            job_monitoring_interval=BEAT_SECONDS,
        )
        self._url = url
        self._declarations = declarations_in(corpora)
        self._heartbeat = heartbeat

    def handle_warm_shutdown_request(self) -> None:
        """Record the first signal."""
        self.told_to_end = True

    def subscribe(self) -> None:
        """Open no channel."""

    def heartbeat(self, timeout: int | None = None, pipeline: "Pipeline | None" = None) -> None:
        """Send RQ's sign of life and Cotag's heartbeat, in the pipeline if there is one."""
        super().heartbeat(timeout, pipeline)
        self._heartbeat = replace(self._heartbeat, at=time.time())
        pipe = self.connection.pipeline() if pipeline is None else pipeline
        add_heartbeat(pipe, self._heartbeat)
        if pipeline is None:
            pipe.execute()

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Run a job in a process of its own. Its first sign of life and all that follow name the job.

        A job that is not ours is deleted instead: whoever can write to the store must not run code here.
        """
        reason = job.refusal() if isinstance(job, ReclusterJob) else "it is of another kind"
        if reason is not None:
            log.error("refused a job", job=job.id, reason=reason)
            job.delete()
            return
        self._heartbeat = replace(self._heartbeat, job=job.id)
        self._declarations.refresh()  # here, so that the process of the job inherits the last good ones
        try:
            super().execute_job(job, queue)
        finally:
            self._heartbeat = replace(self._heartbeat, job="")

    def wait_for_horse(self) -> "tuple[int | None, int | None, struct_rusage | None]":
        """Wait for the process of the job, then clear its pid: RQ clears it only after it has written to the store."""
        result = super().wait_for_horse()
        self._horse_pid = 0
        return result

    def monitor_work_horse(self, job: Job, queue: Queue) -> None:
        """Monitor the process of the job, and continue where RQ gives up because the store does not answer."""
        while True:
            try:
                super().monitor_work_horse(job, queue)
            except RedisError as error:
                if not self.horse_pid or not is_away(error):
                    raise
                log.warning("the store is away while a job runs", job=job.id, reason=str(error))
            else:
                return

    def perform_job(self, job: Job, queue: Queue) -> bool:
        """Run the job in its process, which RQ then ends without exit handlers."""
        try:
            return super().perform_job(job, queue)
        finally:
            flush_logs()

    def register_death(self) -> None:
        """Unregister this worker and remove its heartbeat, unless the store is away."""
        self.connection.close()
        self.connection = connect(self._url)
        with suppress(RedisError, StoreUnavailable):
            super().register_death()  # type: ignore[no-untyped-call]  # RQ has no hints here
            Heartbeats(self.connection).remove(self._heartbeat)


class Outage(logging.Filter):
    """Removes RQ's tracebacks about a store that is away from its log, and records why RQ gave up."""

    def __init__(self) -> None:
        super().__init__()
        self.error: BaseException | None = None

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether RQ prints its message."""
        if record.exc_info:
            self.error = record.exc_info[1]
        return not (record.exc_info and is_away(self.error))


def work(url: str, corpora: Path) -> None:
    """Run jobs until a signal arrives; after the first a job may finish, a second one stops it.

    If the store is away, wait for it. RQ does so only while it waits for a job, and gives up at any other moment.
    """
    _end_at_any_signal()
    heartbeat = new_heartbeat("worker", time.time())
    declarations_in(corpora).refresh()
    _wait_for_store(url, heartbeat)
    with connect(url) as redis, suppress(StoreUnavailable):
        for remark in filter(None, (eviction_warning(redis), confirmation_warning(redis))):
            log.warning(remark)
    while not _work_until_it_breaks_off(url, corpora, heartbeat):
        time.sleep(PAUSE_SECONDS)
        _wait_for_store(url, heartbeat)


def _work_until_it_breaks_off(url: str, corpora: Path, heartbeat: Heartbeat) -> bool:
    """Whether a signal ended the work; if not, the store went away. Any other reason ends the process."""
    outage = Outage()
    rq_log = logging.getLogger("rq.worker")
    rq_log.addFilter(outage)
    worker = None
    try:
        worker = PatientWorker(url, corpora, heartbeat)
        worker.work(logging_level="WARNING", with_scheduler=False)
    except StopRequested:
        pass  # a signal while RQ shut down
    except (RedisError, StoreUnavailable) as error:
        if not is_away(error):
            raise
        outage.error = error
    _end_at_any_signal()
    rq_log.removeFilter(outage)
    if worker is not None:
        worker.connection.close()
        if worker.told_to_end:
            return True
    if outage.error is not None and not is_away(outage.error):
        raise SystemExit(1)  # RQ has printed it
    log.warning("the store went away", reason=str(outage.error or "no answer in time"))
    return False


def _wait_for_store(url: str, heartbeat: Heartbeat) -> None:
    """Return when the store answers and takes writes."""
    with connect(url) as redis:
        wait_for_answer(
            redis,
            pause=PAUSE_SECONDS,
            ask=lambda client: Heartbeats(client).write(replace(heartbeat, at=time.time())),
            on_away=lambda reason: log.warning("the store is away, waiting for it", reason=reason),
        )


def _end_at_any_signal() -> None:
    """End at once, until RQ sets its own handlers: no job is running."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)


def _end(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)
