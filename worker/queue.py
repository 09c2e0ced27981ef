"""The RQ queue: JSON instead of pickle, and results that expire."""

from typing import TYPE_CHECKING, Final

from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer

from worker.corpora import Corpus

if TYPE_CHECKING:
    from redis.client import Pipeline

NAME: Final = "cotag"
RETENTION_SECONDS: Final = 86400
"""How long RQ stores a job after its end."""


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
        result_ttl=RETENTION_SECONDS,
        failure_ttl=RETENTION_SECONDS,
        job_id=job,
        description=f"re-cluster {corpus.name}",
        pipeline=pipeline,
    )
