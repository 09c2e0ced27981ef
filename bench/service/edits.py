"""What editors' decisions cost: the time to load a version, and of first-time answers, with and without them.

    python -m bench.service.edits                         # 10,000 edits of radio_large
    python -m bench.service.edits --corpus demo --edits 1000

One process loads the version and asks both views in turn, so that other processes disturb both alike. Figures are
processor time. The time to load is what a process of the service takes for a version in a real store: read, verified
and made searchable, its documents mapped. Of each answer the least of several rounds counts; p99 is over the
queries. A change over HTTP is measured too: checking one more edit against all others, and a view with the new
revision.
"""

import argparse
import gc
import random
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final
from urllib.parse import parse_qsl

import numpy as np
import orjson
from numpy.typing import NDArray
from redis import Redis

from bench.service.first_answers import several_tags, single_tags
from bench.service.serving.corpora import served
from cotag.launcher.store_server import server_binary, server_command, wait_for_store
from service.api.parameters.parameters import CloudQuery, RelatedQuery, read
from service.api.routes.queries import get_cloud, get_related
from service.live.document_files import DocumentFiles
from service.live.snapshots import LiveSnapshots
from service.server.event_loop import GARBAGE
from service.view.view import View
from service.web.metrics import Metrics
from service.web.negotiation import encode_answer
from snapshot import SnapshotStore, StatusBoard, connect
from snapshot.edits import Edit, EditState, check_change
from snapshot.edits.conflicts import without_conflicts
from snapshot.store.edits import EditStore

SEED: Final = 20
ROUNDS: Final = 7
QUERIES: Final = 400
MIX: Final = {"move": 0.3, "apart": 0.3, "together": 0.1, "label": 0.02, "synonym": 0.08, "distinct": 0.2}
"""The share of each kind of edit, as far as the tags last."""

QUESTIONS: Final[dict[str, tuple[Any, Any, str]]] = {
    "related": (RelatedQuery, get_related, ""),
    "cloud": (CloudQuery, get_cloud, ""),
    "cloud by clusters": (CloudQuery, get_cloud, "&by=clusters"),
}


def random_edits(names: Sequence[str], count: int) -> list[Edit]:
    """Edits without contradictions: half of the tags move, the others are kept together or apart, or named."""
    chosen = random.Random(SEED)
    tags = list(names)
    chosen.shuffle(tags)
    movers, others = tags[: len(tags) // 2], tags[len(tags) // 2 :]
    pairs = [(others[place], others[place + 1]) for place in range(0, len(others) - 1, 2)]
    wanted = {kind: round(share * count) for kind, share in MIX.items()}
    edits = [Edit("move", tag, chosen.choice(others)) for tag in movers[: wanted["move"]]]
    edits += [Edit("together", tags=pair) for pair in pairs[: wanted["together"]]]
    edits += [Edit("label", tag, label=f"Label {tag}") for tag in others[: wanted["label"]]]
    edits += [Edit("synonym", f"other name of {tag}", tag) for tag in tags[: wanted["synonym"]]]
    drawn = {edit.id: edit for edit in edits}
    while len(drawn) < count:
        kind = "apart" if len(drawn) % 2 else "distinct"
        edit = Edit(kind, tags=tuple(chosen.sample(others, 2)))  # type: ignore[arg-type]
        drawn.setdefault(edit.id, edit)
    holding, _ = without_conflicts(list(drawn.values()))
    return holding


def timed(function: Callable[[], Any]) -> tuple[float, Any]:
    """The processor milliseconds that a function takes, and its result."""
    began = time.process_time()
    result = function()
    return 1000 * (time.process_time() - began), result


@contextmanager
def running_store(folder: Path) -> Iterator[Redis]:
    """A store of the kind that `cotag up` embeds."""
    socket = folder / "store.sock"
    with subprocess.Popen(server_command(server_binary(), folder, socket), stdout=subprocess.DEVNULL) as process:
        wait_for_store(f"unix://{socket}")
        yield connect(f"unix://{socket}")
        process.terminate()


def load(redis: Redis, folder: Path, *, edits: bool) -> View:
    """The view that a process of the service loads from the store, with documents and without a copy on disk."""
    store = EditStore(redis) if edits else None
    live = LiveSnapshots(
        SnapshotStore(redis), StatusBoard(redis), edits=store, document_files=DocumentFiles(folder), metrics=Metrics()
    )
    live.refresh()
    (view,) = live.views().values()
    return view


def answer_times(views: Sequence[View], question: str, queries: Sequence[str], rounds: int) -> NDArray[np.float64]:
    """Views × queries: the least processor microseconds of each answer."""
    model, handler, more = QUESTIONS[question]
    best = np.full((len(views), len(queries)), np.inf)
    gc.disable()  # a collection would hit the same queries in every round
    for turn in range(rounds):
        for number, query in enumerate(queries):
            parameters = read(model, parse_qsl(query + more, keep_blank_values=True))
            for place in range(len(views)) if turn % 2 else reversed(range(len(views))):
                spent = _answer_time(views[place], handler, parameters)
                best[place, number] = min(best[place, number], spent)
    gc.enable()
    return best


def _answer_time(view: View, handler: Callable[..., Any], parameters: Any) -> float:
    spent, _ = timed(lambda: encode_answer(handler(view, None, parameters), view.edition, b""))
    return 1000 * spent


def main() -> None:
    """Print the figures as a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", default="radio_large")
    parser.add_argument("--edits", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--queries", type=int, default=QUERIES)
    options = parser.parse_args()
    found = served(options.corpus)
    gc.freeze()
    gc.set_threshold(GARBAGE)  # as in a process of the service
    edits = random_edits(found.snapshot.names, options.edits)
    times: dict[bool, list[float]] = {False: [], True: []}
    views: dict[bool, View] = {}
    with tempfile.TemporaryDirectory(prefix="cotag-") as name, running_store(Path(name)) as redis:
        SnapshotStore(redis).publish(found.encoded())
        EditStore(redis).change(found.snapshot.corpus, 0, add=edits)
        for turn in range(options.rounds):
            for with_edits in (False, True) if turn % 2 else (True, False):
                spent, views[with_edits] = timed(partial(load, redis, Path(name) / "documents", edits=with_edits))
                times[with_edits].append(spent)
    plain, edited = views[False], views[True]
    counts = edited.edit_counts
    print(f"{options.corpus}: {len(found.snapshot.names)} tags, {len(edits)} edits {orjson.dumps(counts).decode()}")
    print(f"{'':24}{'without':>12}{'with':>12}{'ratio':>8}")
    _print("load, ms", median(times[False]), median(times[True]))
    queries = [*single_tags(plain, options.queries * 4 // 5), *several_tags(plain, options.queries // 5)]
    for question in QUESTIONS:
        best = answer_times([plain, edited], question, queries, options.rounds)
        for name, value in (("mean", best.mean(axis=1)), ("p99", np.percentile(best, 99, axis=1))):
            _print(f"{question}, {name}, µs", *value)
    change, _ = timed(lambda: check_change(edited.edits, [Edit("keep", "one more")]))
    again, _ = timed(lambda: edited.with_edits(EditState(2, edited.edits.stored, ())))
    print(f"one more edit: {change:.0f} ms to check, {again:.0f} ms for a view with the new revision")


def _print(name: str, without: float, with_edits: float) -> None:
    print(f"{name:24}{without:12.1f}{with_edits:12.1f}{with_edits / without:8.2f}")


if __name__ == "__main__":
    main()
