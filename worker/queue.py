"""The RQ queue: JSON instead of pickle, results that expire, and no other job than ours."""

from typing import TYPE_CHECKING, Any, Final

from redis import Redis
from rq import Queue
from rq.exceptions import DeserializationError
from rq.job import Job
from rq.serializers import JSONSerializer

from worker.corpora import Corpus

if TYPE_CHECKING:
    from redis.client import Pipeline

NAME: Final = "cotag"
ENTRY_POINT: Final = "worker.job.recluster"
RETENTION_SECONDS: Final = 86400
"""How long RQ stores a job after its end."""


class ReclusterJob(Job):
    """The one job that may run. RQ would import and call whatever the store names, callbacks included."""

    success_callback = property(lambda _: None)
    failure_callback = property(lambda _: None)
    stopped_callback = property(lambda _: None)

    @property
    def func(self) -> Any:
        """What the job calls; TypeError if it is not ours."""
        if (reason := self.refusal()) is not None:
            raise TypeError(reason)
        return super().func

    def refusal(self) -> str | None:
        """Why the job must not run, or None."""
        try:
            called = (self.func_name, self.instance)
            arguments, named = self.args, self.kwargs
        except DeserializationError:
            return "it cannot be read"
        if called != (ENTRY_POINT, None):
            return f"it calls {str(called[0])[:200]!r}, and only {ENTRY_POINT} may run"
        texts = [argument for argument in arguments if isinstance(argument, str)]
        flags = isinstance(named, dict) and named.keys() <= {"fresh"} and isinstance(named.get("fresh", False), bool)
        return None if len(arguments) == len(texts) == 2 and flags else "its arguments make no sense"


def job_queue(redis: Redis) -> Queue:
    """The queue of all re-clustering jobs."""
    return Queue(NAME, connection=redis, serializer=JSONSerializer, job_class=ReclusterJob)


def enqueue(queue: Queue, corpus: Corpus, job: str, *, fresh: bool, pipeline: "Pipeline") -> None:
    """Put a run on the queue when the pipeline is executed."""
    queue.enqueue_call(
        ENTRY_POINT,
        args=[corpus.name, job],
        kwargs={"fresh": fresh},
        timeout=corpus.time_limit_seconds,
        result_ttl=RETENTION_SECONDS,
        failure_ttl=RETENTION_SECONDS,
        job_id=job,
        description=f"re-cluster {corpus.name}",
        pipeline=pipeline,
    )
