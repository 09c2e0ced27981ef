"""A run in this process, recorded as a worker does when it ends."""

import time

from snapshot import RunStatus, StatusBoard
from worker.clustering.stages import Stages
from worker.runs.job import run
from worker.runs.outcome import record_outcome


def run_and_record(corpus, redis, job):
    """The outcome of a run, after what the worker leaves beside it."""
    began = time.time()
    stages = Stages(lambda *_: None)
    outcome = run(corpus, redis, job, stages=stages)
    status = RunStatus(job, "running", began, began, corpus.name).at(time.time(), **outcome)
    StatusBoard(redis).write(corpus.name, status)
    record_outcome(redis, corpus.name, status, stages.timings, corpus)
    return outcome
