"""RQ, set up once: one queue, JSON instead of pickle, jobs that leave nothing behind."""

from typing import TYPE_CHECKING, Final

from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer

from worker.corpora import Corpus

if TYPE_CHECKING:
    from redis.client import Pipeline

NAME: Final = "cotag"
KEPT_SECONDS: Final = 86400
"""How long RQ remembers a job that has ended."""


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
