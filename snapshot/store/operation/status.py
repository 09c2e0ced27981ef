"""The status of jobs in the store: how to request, follow and cancel them."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final, cast

from redis import Redis

from snapshot.errors import WrongType
from snapshot.store import keys
from snapshot.store.operation.control import Operating, read_operating
from snapshot.store.publication import SCRIPTS
from snapshot.store.records import RecordReader, RunRequest, RunStatus, encode_record, is_trial, new_job_id
from snapshot.store.snapshots import read_strings, translate_errors

REMEMBERED_SECONDS: Final = 7 * 86400
CANCEL_SECONDS: Final = 3600
REQUEST: Final = (SCRIPTS / "request.lua").read_text(encoding="utf-8")


class StatusBoard:
    """The worker writes the status of runs here; everybody else reads it and requests runs."""

    def __init__(self, redis: Redis, count: Callable[[str], None] | None = None) -> None:
        self._redis = redis
        self._records = RecordReader(count)

    def write(self, corpus: str, status: RunStatus) -> None:
        """Replace the status of a corpus and of the job."""
        record = encode_record(replace(status, corpus=corpus))
        with translate_errors():
            pipe = self._redis.pipeline(transaction=True)
            pipe.set(keys.run(corpus), record)
            pipe.set(keys.job(status.job), record, ex=REMEMBERED_SECONDS)
            pipe.execute()

    def write_job(self, status: RunStatus) -> None:
        """Replace the status of a job, but not that of its corpus, which belongs to another run."""
        with translate_errors():
            self._redis.set(keys.job(status.job), encode_record(status), ex=REMEMBERED_SECONDS)

    def read(self, corpus: str) -> RunStatus | None:
        """The latest status of a corpus, or None if no run was ever requested."""
        return self._get(keys.run(corpus))

    def read_all(self, corpora: Iterable[str]) -> dict[str, RunStatus | None]:
        """The latest status of each corpus, read in one command."""
        names = {corpus: keys.run(corpus) for corpus in corpora}
        stored = read_strings(self._redis, list(names.values()))
        return {corpus: self._records.read_again(RunStatus, key, stored[key]) for corpus, key in names.items()}

    def job(self, job: str) -> RunStatus | None:
        """The status of one job, or None if it is unknown or has expired."""
        return self._get(keys.job(job))

    def job_ids(self) -> list[str]:
        """The jobs that have not expired."""
        with translate_errors():
            names = [key.decode().removeprefix(keys.job("")) for key in self._redis.scan_iter(keys.job("*"))]
        return [name for name in names if ":" not in name]

    def request(self, corpus: str, moment: float, *, fresh: bool = False) -> RunStatus:
        """Request a run, which the scheduler queues within a second; returns the same job while one waits already."""
        latest = self.read(corpus)
        if latest is not None and latest.state == "queued" and latest.fresh == fresh and not is_trial(latest.job):
            return latest
        status = RunStatus(new_job_id(corpus), "queued", moment, moment, corpus, fresh=fresh)
        with translate_errors():
            job = self._redis.eval(
                REQUEST,
                2,
                keys.REQUESTS,
                keys.job(status.job),
                corpus,
                str(int(fresh)),
                encode_record(RunRequest(status.job, corpus, fresh)),
                encode_record(status),
                str(REMEMBERED_SECONDS),
                keys.cancel("*"),
            )
        waiting = cast("bytes", job).decode()
        return status if waiting == status.job else self.job(waiting) or replace(status, job=waiting)

    def operating(self, corpora: Iterable[str]) -> Operating:
        """What operators decide and watch beside the status of runs."""
        return read_operating(self._redis, self._records, corpora)

    def request_trial(self, corpus: str, job: str, moment: float) -> RunStatus:
        """Request a run that tries edits; the job is new for each request."""
        status = RunStatus(job, "queued", moment, moment, corpus)
        with translate_errors():
            pipe = self._redis.pipeline(transaction=True)
            pipe.set(keys.job(job), encode_record(status), ex=REMEMBERED_SECONDS)
            pipe.rpush(keys.REQUESTS, encode_record(RunRequest(job, corpus)))
            pipe.execute()
        return status

    def cancel(self, job: str) -> None:
        """Ask a queued or running job to stop; its worker checks several times a second."""
        with translate_errors():
            self._redis.set(keys.cancel(job), b"1", ex=CANCEL_SECONDS)

    def cancelled(self, job: str) -> bool:
        """Whether somebody cancelled the job."""
        with translate_errors():
            return bool(self._redis.exists(keys.cancel(job)))

    def _get(self, key: str) -> RunStatus | None:
        try:
            with translate_errors():
                raw = cast("bytes | None", self._redis.get(key))
        except WrongType:
            raw = b""  # makes no sense as a record either
        return self._records.read(RunStatus, key, raw)
