"""Processor time of first-time answers, stage by stage, in one process and without HTTP.

    python -m bench.service.first_answers                      # all corpora
    python -m bench.service.first_answers --corpora demo       # one of them
    python -m bench.service.first_answers --beside FOLDER      # take turns with another checkout, and compare

Every query is asked once: nothing comes from a cache. The queries are drawn as readers draw them: 60 % single tags
by their count, 20 % single tags uniformly, 20 % several tags, exact or as typed. Each stage is timed for a few queries
at a time, in processor time. The reference is the time to read and write the same JSON with orjson: it depends on the
answer and on the machine, not on the code measured. Ratios to it are less disturbed by other processes than times.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

import orjson
from flask import Flask
from werkzeug.datastructures import MultiDict

from bench.places import ROOT
from bench.service.serving.corpora import FILES, served
from service.api.parameters.parameters import CloudQuery, RelatedQuery, read
from service.api.routes.queries import get_cloud, get_related
from service.pages.blueprint import grouped
from service.pages.frame import assets
from service.pages.frame.cards import day
from service.pages.frame.colours import concept_hue
from service.pages.frame.frame import PAGES, Frame
from service.pages.search.params import SearchParams
from service.pages.search.search import search_page
from service.questions.clouds.defaults import MOST_GROUPS
from service.view.view import View
from service.web.negotiation import encode_answer

SEED: Final = 16
QUERIES: Final = 1500
ROUNDS: Final = 5
BATCH: Final = 4
"""As few answers as in a service are alive at a time, so that they cause as few collections of garbage."""

PAGE_QUERIES: Final = 300
"""A page takes so long that fewer queries will do."""

SINGLE_BY_COUNT: Final = 0.75
"""Of the queries of one tag, which are 80 % of all."""

HANDLERS: Final[dict[str, tuple[Any, Any]]] = {"related": (RelatedQuery, get_related), "cloud": (CloudQuery, get_cloud)}
Figures = dict[str, dict[str, float]]
"""Question → stage → microseconds for one answer."""


def single_tags(view: View, count: int) -> list[str]:
    """Query strings of one tag: most drawn by count, the others uniformly."""
    chosen = random.Random(SEED)
    by_count = round(count * SINGLE_BY_COUNT)
    names = view.snapshot.names
    tags = [*chosen.choices(names, view.counts[: len(names)], k=by_count), *chosen.choices(names, k=count - by_count)]
    chosen.shuffle(tags)
    return [urlencode({"tag": tag}) for tag in tags]


def several_tags(view: View, count: int) -> list[str]:
    """Query strings of two to four tags, which are drawn by count; every other is typed text."""
    chosen = random.Random(SEED)
    names = view.snapshot.names
    queries = []
    for number in range(count):
        tags = chosen.choices(names, view.counts[: len(names)], k=chosen.choice([2, 3, 4]))
        queries.append(urlencode([("tag", tag) for tag in tags] if number % 2 else {"q": " ".join(tags)}))
    return queries


class Stopwatch:
    """Processor time by stage, batch by batch."""

    def __init__(self) -> None:
        self.spent: defaultdict[str, list[float]] = defaultdict(list)

    def timed(self, stage: str, function: Callable[[Any], Any], inputs: Sequence[Any]) -> list[Any]:
        """Apply a function to a batch; note the mean microseconds."""
        began = time.process_time()
        results = [function(each) for each in inputs]
        self.spent[stage].append(1e6 * (time.process_time() - began) / len(inputs))
        return results


Spent = dict[str, list[float]]
"""Stage → microseconds for one answer, batch by batch."""


def batches(queries: list[str]) -> Iterator[list[str]]:
    """A few queries at a time."""
    for start in range(0, len(queries), BATCH):
        yield queries[start : start + BATCH]


def means(rounds: list[Spent]) -> dict[str, float]:
    """The mean of each stage; of each batch, the least over all rounds counts: other processes can only add to it."""
    return {stage: mean(map(min, zip(*(spent[stage] for spent in rounds), strict=True))) for stage in rounds[0]}


def answering(view: View, name: str, queries: list[str]) -> Spent:
    """Microseconds of the stages from a query string to the bytes of an answer."""
    model, handler = HANDLERS[name]
    version = view.snapshot.version
    watch = Stopwatch()
    for batch in batches(queries):
        pairs = watch.timed("parse", _pairs, batch)
        parameters = watch.timed("validate", lambda each: read(model, each), pairs)
        answers = watch.timed("handle", lambda each: handler(view, None, each), parameters)
        asked = [(answer, query.encode()) for answer, query in zip(answers, batch, strict=True)]
        encoded = watch.timed("encode", lambda each: encode_answer(each[0], version, each[1]), asked)
        watch.timed("reference", lambda each: orjson.dumps(orjson.loads(each.body)), encoded)
    return watch.spent


def rendering(view: View, queries: list[str]) -> Spent:
    """Microseconds of the stages from a query string to the HTML of the search page."""
    app = Flask(__name__, template_folder=str(ROOT / "service" / "pages" / "templates"))
    app.register_blueprint(assets.assets_blueprint(assets.Assets(assets.STATIC)))
    app.jinja_env.filters |= {each.__name__: each for each in (grouped, concept_hue, day)}
    template = app.jinja_env.get_template("search.html")
    corpus = view.snapshot.corpus
    frame = Frame(PAGES["search"], corpus, {corpus: view.snapshot.title})
    context = {"frame": frame, "defaults": SearchParams(corpus), "most_groups": MOST_GROUPS}
    watch = Stopwatch()
    for batch in batches(queries):
        parameters = watch.timed("parse", lambda each: SearchParams.read(MultiDict(_pairs(each)), corpus), batch)
        pages = watch.timed("handle", lambda each: search_page(view, each), parameters)
        watch.timed("encode", lambda page: template.render(params=page.state, page=page, **context), pages)
        bodies = [orjson.dumps(page.cloud) for page in pages]
        watch.timed("reference", lambda each: orjson.dumps(orjson.loads(each)), bodies)
    return watch.spent


def _pairs(query: str) -> list[tuple[str, str]]:
    return parse_qsl(query, keep_blank_values=True, errors="werkzeug.url_quote")


def measured(corpus: str, queries: int, rounds: int) -> Figures:
    """All questions about one corpus."""
    view = View(served(corpus).snapshot)
    single, several = single_tags(view, queries), several_tags(view, queries)
    mixed = [*single[: queries * 4 // 5], *several[: queries // 5]]
    for query in single[:20]:  # the first questions fill what a view prepares once
        for model, handler in HANDLERS.values():
            handler(view, None, read(model, _pairs(query)))
    runs: defaultdict[str, list[Spent]] = defaultdict(list)
    for _ in range(rounds):
        for name in HANDLERS:
            runs[name].append(answering(view, name, mixed))
            runs[f"{name}, one tag"].append(answering(view, name, single))
            runs[f"{name}, several tags"].append(answering(view, name, several))
        runs["page"].append(rendering(view, mixed[:: queries // PAGE_QUERIES]))
    return {question: means(spent) for question, spent in runs.items()}


def beside(folder: Path, corpus: str, queries: int, rounds: int) -> tuple[Figures, Figures]:
    """This checkout and another, taking turns; the least of each."""
    turns: tuple[list[Figures], list[Figures]] = ([], [])
    for _ in range(rounds):
        for root, results in zip((ROOT, folder), turns, strict=True):
            results.append(_run(root, corpus, queries))
    ours, others = ({question: _least([run[question] for run in runs]) for question in runs[0]} for runs in turns)
    return ours, others


def _run(root: Path, corpus: str, queries: int) -> Figures:
    command = [sys.executable, "-m", "bench.service.first_answers", "--json", "--rounds", "3"]
    command += ["--corpora", corpus, "--queries", str(queries)]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    result = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=True)
    figures: dict[str, Figures] = json.loads(result.stdout)
    return figures[corpus]


def _least(runs: list[dict[str, float]]) -> dict[str, float]:
    return min(runs, key=total)


def total(stages: dict[str, float]) -> float:
    """All stages without the reference."""
    return sum(spent for stage, spent in stages.items() if stage != "reference")


def table(corpus: str, figures: Figures, others: Figures | None = None) -> str:
    """The figures of one corpus as Markdown, in microseconds; `others` are those of another checkout."""
    lines = []
    for question, stages in figures.items():
        cells = [f"{stages[stage]:.1f}" if stage in stages else "" for stage in ("parse", "validate", "handle")]
        cells += [f"{stages['encode']:.1f}", f"**{total(stages):.0f}**", f"{total(stages) / stages['reference']:.1f}"]
        if others is not None:
            other = others[question]
            cells += [f"{total(other):.0f}", f"{total(other) / other['reference']:.1f}"]
        lines.append(f"| {corpus} | {question} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="*", default=[name for name, path in FILES.items() if path.is_file()])
    parser.add_argument("--queries", type=int, default=QUERIES)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--beside", type=Path)
    parser.add_argument("--json", action="store_true", help="print the figures alone")
    given = parser.parse_args()
    if given.json:
        print(json.dumps({name: measured(name, given.queries, given.rounds) for name in given.corpora}))
        return
    titles = ["corpus", "question", "parse", "validate", "handle", "encode", "µs", "of reference"]
    titles += ["other µs", "of reference"] if given.beside else []
    print("|", " | ".join(titles), "|")
    print("|" + "---|" * len(titles))
    for name in given.corpora:
        if given.beside:
            ours, others = beside(given.beside.resolve(), name, given.queries, given.rounds)
            print(table(name, ours, others), flush=True)
        else:
            print(table(name, measured(name, given.queries, given.rounds)), flush=True)


if __name__ == "__main__":
    main()
