"""One side of the comparison of costs: a program that measures the checkout that is first on its path.

    python side.py run FILE OUT      cluster a corpus, write the stored parts to OUT, print seconds and bytes
    python side.py serve OUT         load them as a service does, print memory and seconds of clouds and autocomplete

It is started by path, so it calls only what the compared checkouts have in common, under the names that each has.
"""

import json
import pickle
import statistics
import sys
import time
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

ASKED = 300
PREFIXES = ("a", "s", "ca", "re", "mus", "cont", "pizz", "guitar")


def named(names: str | tuple[str, ...], *modules: str) -> Any:
    """What has the name, or one of several, in the first of the modules that this checkout has."""
    for module in modules:
        for name in (names,) if isinstance(names, str) else names:
            try:
                return getattr(import_module(module), name)
            except (ImportError, AttributeError):
                continue
    raise SystemExit(f"no {names} in {', '.join(modules)}")


def check_origin(checkout: Path) -> None:
    """Fail if a package comes from elsewhere: the comparison would be one of a checkout with itself."""
    for name in ("cocluster", "snapshot", "worker", "service"):
        origin = Path(str(import_module(name).__file__)).resolve()
        if not origin.is_relative_to(checkout.resolve()):
            raise SystemExit(f"{name} was loaded from {origin.parent}, not from {checkout}")


def processor_seconds() -> float:
    return time.process_time()


def run(file: Path, out: Path) -> dict[str, float]:
    """Seconds of all threads of a run without the compilation of kernels, and the bytes of what is stored."""
    corpus_of = named("Corpus", "worker.corpora.declaration", "worker.corpora")
    stages_of = named("Stages", "worker.clustering.stages", "worker.stages", "worker.progress")
    load = named(("load_documents", "load"), "worker.clustering.cluster", "worker.clustering")
    cluster = named("cluster", "worker.clustering.cluster", "worker.clustering")
    encode = named("encode", "snapshot")
    corpus, stages = corpus_of(name="costs", source=str(file), path=file), stages_of(lambda *_: None)
    began = processor_seconds()
    tagged, notes = load(corpus, stages)
    encoded = encode(*cluster(corpus, tagged, datetime.now(UTC), stages, notes=notes))
    seconds = processor_seconds() - began
    out.write_bytes(pickle.dumps((encoded.meta, encoded.arrays, encoded.index)))
    parts = (encoded.meta, encoded.arrays, encoded.documents, encoded.dendrogram, *encoded.index)
    tables = [*encoded.tags.items(), *encoded.clusters.items()]
    stored = sum(map(len, parts)) + sum(len(name) + len(value) for name, value in tables)
    return {"seconds of a run": seconds, "MB in the store": stored / 1e6}


def serve(out: Path) -> dict[str, float]:
    """Memory of a process with one view, without its documents, which are mapped; seconds of questions."""
    view_of = named("View", "service.view.view", "service.view")
    cloud = named("cloud", "service.questions.clouds.cloud", "service.cloud")
    parse = named("parse_query", "service.questions.text.query", "service.query")
    tags = named("tags", "service.questions.text.listing", "service.questions.clusters.clusters", "service.clusters")
    decode = named("decode", "snapshot")
    meta, arrays, _ = pickle.loads(out.read_bytes())  # noqa: S301 - written by this program
    snapshot = decode(meta, arrays)
    snapshot.related.prepare()
    view = view_of(snapshot)
    del meta, arrays
    texts = [snapshot.names[tag] for tag in view.by_count[:ASKED]]

    def first_cloud(text: str) -> float:
        began = processor_seconds()
        cloud(view, parse(view, [text], ""), limit=40, groups=9, specificity=0.5)
        return processor_seconds() - began

    def clouds() -> float:
        return statistics.median(map(first_cloud, texts))

    def completions() -> float:
        began = processor_seconds()
        for prefix in PREFIXES * 20:
            tags(view, prefix, "", limit=8, offset=0)
        return (processor_seconds() - began) / len(PREFIXES) / 20

    clouds()
    first = min(clouds() for _ in range(3))
    completions()
    listed = min(completions() for _ in range(3))
    return {"MB of memory": memory(), "ms of a first cloud": 1e3 * first, "ms of autocomplete": 1e3 * listed}


def memory() -> float:
    """Resident megabytes of this process."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(fields["VmRSS"].split()[0]) / 1e3


if __name__ == "__main__":
    check_origin(Path.cwd())
    what, *paths = sys.argv[1:]
    print(json.dumps(run(*map(Path, paths)) if what == "run" else serve(*map(Path, paths))))
