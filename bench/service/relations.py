"""What relations between tags cost: the time of a run that applies implications, and to load a version with relations.

    python -m bench.service.relations                          # 10,000 relations of the demo
    python -m bench.service.relations --corpus lastfm_artists --relations 1000

Half of the relations are implications of rare tags, the others say what is a kind of what, describe, and translate.
Both sides take turns in one process, so that other processes disturb both alike. Figures are the medians of processor
time: of a run from the file to the snapshot, and of what a process of the service does to load a version from a real
store, its documents mapped, and to answer for one tag.
"""

import argparse
import gc
import random
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final

from bench.service.edits import load, running_store, timed
from bench.service.serving.corpora import FILES, served
from service.questions.clusters.clusters import tag_answer
from service.server.event_loop import GARBAGE
from service.view.view import View
from snapshot import SnapshotStore
from snapshot.edits import Edit, EditState
from snapshot.store.edits import EditStore
from worker.clustering.cluster import cluster, load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus
from worker.corpora.edits import with_edits

SEED: Final = 3
NOON: Final = datetime(2026, 11, 18, 12, tzinfo=UTC)


def random_relations(common: Sequence[str], rare: Sequence[str], count: int) -> list[Edit]:
    """Relations without circles: from a rare tag to a common one, and from each common tag to one before it."""
    chosen = random.Random(SEED)
    drawn: dict[str, Edit] = {}
    for tag in chosen.sample(list(rare), min(count // 20, len(rare))):
        for edit in (
            Edit("describe", tag, text=f"What {tag} is for."),
            Edit("translate", tag, label=tag, language="de"),
        ):
            drawn[edit.id] = edit
    while len(drawn) < count:
        if len(drawn) % 2:
            edit = Edit("implies", chosen.choice(rare), chosen.choice(common))
        else:
            to, own = sorted(chosen.sample(range(len(common)), 2))
            edit = Edit("broader", common[own], common[to])
        drawn.setdefault(edit.id, edit)
    return list(drawn.values())


def main() -> None:
    """Print the figures as a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", default="demo")
    parser.add_argument("--relations", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-runs", action="store_true", help="leave the runs out, which take minutes")
    options = parser.parse_args()
    found = served(options.corpus)
    snapshot = found.snapshot
    gc.freeze()
    gc.set_threshold(GARBAGE)  # as in a process of the service
    edits = random_relations(snapshot.keys, snapshot.tail.keys, options.relations)
    run_times: dict[bool, list[float]] = {False: [], True: []}
    load_times: dict[bool, list[float]] = {False: [], True: []}
    answer_times: dict[bool, list[float]] = {False: [], True: []}
    with tempfile.TemporaryDirectory(prefix="cotag-") as name, running_store(Path(name)) as redis:
        SnapshotStore(redis).publish(found.encoded())
        EditStore(redis).change(snapshot.corpus, 0, add=edits)
        plain = Corpus(name=options.corpus, source=str(FILES[options.corpus]), path=FILES[options.corpus])
        corpora = {False: plain, True: with_edits(plain, EditState(1, tuple(edits)))}
        for turn in range(options.rounds):
            for related in (False, True) if turn % 2 else (True, False):
                run_times[related].append(0.0 if options.no_runs else timed(partial(run, corpora[related]))[0])
                spent, view = timed(partial(load, redis, Path(name) / "documents", edits=related))
                load_times[related].append(spent)
                answer_times[related].append(timed(partial(_answer, view))[0])
    print(f"{options.corpus}: {len(snapshot.keys) + len(snapshot.tail.keys)} tags, {len(edits)} relations")
    print(f"{'processor ms':24}{'without':>12}{'with':>12}{'ratio':>8}")
    for what, times in (("a run", run_times), ("load a version", load_times), ("answer for 100 tags", answer_times)):
        before, after = median(times[False]), median(times[True])
        if before:
            print(f"{what:24}{before:12.1f}{after:12.1f}{after / before:8.2f}")


def run(corpus: Corpus) -> None:
    """From the file to a snapshot."""
    tagged, notes = load_documents(corpus, Stages(lambda *_: None))
    cluster(corpus, tagged, NOON, Stages(lambda *_: None), notes=notes)


def _answer(view: View) -> None:
    for tag in range(0, len(view.tag_keys), max(len(view.tag_keys) // 100, 1)):
        tag_answer(view, tag, 10)


if __name__ == "__main__":
    main()
