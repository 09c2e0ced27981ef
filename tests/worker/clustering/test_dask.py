"""Large corpora on a real Dask cluster: the same bytes, whoever dies."""

import asyncio
import os
import signal

import pytest

pytest.importorskip("distributed", reason="needs the extra dask (pip install 'cotag[dask]')")

from cocluster import CoClustering, LocalTasks, checkerboard
from cocluster.micro import documents
from snapshot import SnapshotStore
from tests.corpora import read_corpora
from tests.waiting import DEADLINE, wait_until
from tests.worker.dask_cluster import dask_cluster
from worker.clustering.dask import tasks_at
from worker.errors import ClusterUnavailable
from worker.runs.job import run

OPTIONS = {"max_exact": 100, "micro_clusters": 40}
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("default"),  # Dask's own, at its end
]


@pytest.fixture(scope="module")
def cluster():
    with dask_cluster() as started:
        yield started


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(documents, "BLOCK", 40)
    monkeypatch.setattr("worker.clustering.dask.SEND_SECONDS", 10)
    monkeypatch.setattr("worker.clustering.dask.CONNECT_SECONDS", DEADLINE)
    monkeypatch.setattr("worker.clustering.dask.PATIENCE_SECONDS", DEADLINE)


def pids_of(tasks):
    """Of the workers, in the order they are sent to: one that a test has killed may not run again yet."""

    def running_pids():
        try:
            running = tasks._client.run(os.getpid)
        except OSError:
            return None  # one that has died, and the scheduler does not know yet
        return [pid for _, pid in sorted(running.items())] if len(running) > 1 else None

    return wait_until(running_pids, "two workers of the cluster")


def board():
    return checkerboard(n=800, m=200, k=6, alpha=0.4, beta=0.3, seed=1)[0]


def same(one, other):
    return (
        one.history_.tobytes() == other.history_.tobytes()
        and one.row_leaves_.tobytes() == other.row_leaves_.tobytes()
        and one.plan_ == other.plan_
    )


def test_the_result_is_that_of_one_machine_and_data_travels_once(cluster, monkeypatch):
    """The blocks of documents once, those of tags once, and the table of each round once."""
    monkeypatch.setattr("worker.clustering.dask.SEND_SECONDS", DEADLINE)
    with tasks_at(cluster["address"]) as tasks:
        scatter, sent = tasks._client.scatter, []
        tasks._client.scatter = lambda data, **how: (sent.append((len(data), how)), scatter(data, **how))[1]
        spread = CoClustering(**OPTIONS, tasks=tasks).fit(board())
    assert same(spread, CoClustering(**OPTIONS, tasks=LocalTasks(1)).fit(board()))
    assert spread.plan_.micro_tags < spread.plan_.tags
    blocks = -(-spread.plan_.documents // 40)
    how = {"hash": False, "asynchronous": True}
    rounds = [(1, how)] * documents.ROUNDS
    assert sent == [(blocks, how), *rounds, (1, how), *rounds]


def test_a_worker_killed_in_the_middle_is_survived(cluster):
    with tasks_at(cluster["address"]) as tasks:
        pids, killed = pids_of(tasks), []

        def kill(stage, done, total):
            if stage == "micro-clusters" and done == total // 3 and not killed:
                killed.append(pids[0])
                os.kill(killed[0], signal.SIGKILL)

        spread = CoClustering(**OPTIONS, tasks=tasks).fit(board(), progress=kill)
    assert killed
    assert same(spread, CoClustering(**OPTIONS, tasks=LocalTasks(1)).fit(board()))


def test_a_worker_that_dies_while_data_is_on_its_way_to_it_is_survived(cluster, monkeypatch):
    """Dask's own broadcast then waits for the dead one for ever, and holds up every broadcast that comes after it."""
    monkeypatch.setattr("worker.clustering.dask.SEND_SECONDS", 3)
    with tasks_at(cluster["address"]) as tasks:
        stopped = pids_of(tasks)[1]
        os.kill(stopped, signal.SIGSTOP)
        scatter, sent = tasks._client.scatter, []

        async def sending(data, **how):
            """The stopped worker cannot take what is sent to it; a second later it is dead."""
            if not sent:
                asyncio.get_running_loop().call_later(1.0, os.kill, stopped, signal.SIGKILL)
            sent.append(len(data))
            return await scatter(data, **how)

        tasks._client.scatter = sending
        assert list(tasks.each(pow, tasks.place([3]), 2)) == [9]


async def stuck():
    await asyncio.Event().wait()


async def forgotten():
    raise KeyError("tcp://127.0.0.1:1")


@pytest.mark.parametrize("fault", [stuck, forgotten])
def test_data_that_does_not_arrive_is_sent_again(cluster, monkeypatch, fault):
    """It may be stuck, and the scheduler does not find a worker that it removed while others were sent to."""
    monkeypatch.setattr("worker.clustering.dask.SEND_SECONDS", 0.5)
    with tasks_at(cluster["address"]) as tasks:
        scatter, sent = tasks._client.scatter, []

        async def faulty(data, **how):
            monkeypatch.setattr("worker.clustering.dask.SEND_SECONDS", DEADLINE)
            sent.append(len(data))
            return await (fault() if len(sent) == 1 else scatter(data, **how))

        tasks._client.scatter = faulty
        placed = tasks.place([1, 2, 3])
        assert list(tasks.each(pow, placed, 2)) == [1, 4, 9]
    assert sent == [3, 3, 1]


def test_a_cluster_that_is_away_is_a_passing_fault(monkeypatch):
    monkeypatch.setattr("worker.clustering.dask.CONNECT_SECONDS", 0.5)
    with pytest.raises(ClusterUnavailable, match=r"tcp://127\.0\.0\.1:1"), tasks_at("tcp://127.0.0.1:1"):
        pytest.fail("there is nobody")


def test_a_job_runs_on_the_cluster(redis, corpora_file, cluster):
    corpus = read_corpora(corpora_file)["topics"].model_copy(update={"max_exact": 50, "micro_clusters": 40})
    outcome = run(corpus, redis, "job-1", dask=cluster["address"])
    assert outcome["state"] == "done"
    snapshot = SnapshotStore(redis).load("topics", outcome["version"])
    assert snapshot.parameters["plan"]["name"] == "micro"
    assert snapshot.quality["document_v_measure"] > 0.8


def test_when_all_workers_die_at_once_the_blocks_are_sent_again(cluster):
    with tasks_at(cluster["address"]) as tasks:
        pids, killed = pids_of(tasks), []

        def kill(stage, done, total):
            if stage == "micro-clusters" and done == total // 3 and not killed:
                killed.extend(pids)
                for pid in killed:
                    os.kill(pid, signal.SIGKILL)

        spread = CoClustering(**OPTIONS, tasks=tasks).fit(board(), progress=kill)
    assert len(killed) > 1
    assert same(spread, CoClustering(**OPTIONS, tasks=LocalTasks(1)).fit(board()))
