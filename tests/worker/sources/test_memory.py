"""Memory grows with the matrix and not with the text: measured as the peak of a process that reads."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.worker.postgres import running_postgres
from worker.sources.formats.streams.lines import zstd

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc, where peaks are read"),
]

DOCUMENTS = 10_000
UNUSED = 5_000
"""Bytes beside the tags of each document, 50 MB in all."""

ALLOWED = 16 * 2**20
PER_ENTRY = 100

MEASURE = """
import json, sys
from worker.corpora.declaration import Corpus
from worker.vocabulary.tag_corpus import build_corpus, read_entries
from worker.sources.document import Document, Tally
from worker.sources.blocks import in_blocks
from worker.corpora.reader import document_blocks

def peak():  # not ru_maxrss, which a process inherits from the one that started it
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return int(status["VmHWM"].removesuffix("kB\\n")) * 1024

source, path = json.loads(sys.argv[1])
corpus = Corpus(name="one", source=source, path=path)
build_corpus(read_entries(in_blocks([Document("warm", ("up",))]), pairs=False))
before = peak()
corpus_read = build_corpus(read_entries(document_blocks(corpus, Tally()), pairs=corpus.document_source.parser.pairs))
print(json.dumps([peak() - before, len(corpus_read.ids), corpus_read.matrix.nnz]))
"""


def growth(source, path=None):
    """Bytes by which reading a corpus raises the peak, its documents, and its entries."""
    command = [sys.executable, "-c", MEASURE, json.dumps([source, path and str(path)])]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[3])
    return json.loads(done.stdout)


def text(kind, unused):
    if kind == "csv":
        yield "id,body,tags\n"
    for number in range(DOCUMENTS):
        body = chr(97 + number % 26) * unused
        if kind == "csv":
            yield f"{number},{body},t{number % 50}|t{number % 7}\n"
        else:
            yield json.dumps({"id": number, "body": body, "tags": [f"t{number % 50}", f"t{number % 7}"]}) + "\n"


@pytest.mark.parametrize(
    ("kind", "opened"),
    [
        ("jsonl", open),
        ("csv", open),
        ("jsonl.gz", gzip.open),
        ("csv.zst", zstd.open),
    ],
)
def test_unused_fields_of_files_take_no_memory(tmp_path, kind, opened):
    grown = {}
    for unused in (1, UNUSED):
        path = tmp_path / f"{unused}.{kind}"
        with opened(path, "wb") as file:
            for line in text(kind.split(".")[0], unused):
                file.write(line.encode())
        source = {"files": str(path), **({"separator": "|"} if "csv" in kind else {})}
        grown[unused], documents, _ = growth(source, path)
        assert documents == DOCUMENTS
    print(kind, grown)
    assert grown[UNUSED] - grown[1] < ALLOWED


@pytest.fixture(scope="module")
def postgres():
    with running_postgres() as server:
        yield server


def test_rows_of_a_query_are_not_held(postgres):
    """The long column is not used, so that only holding rows can take memory; a batch is held."""
    grown = {}
    for unused in (1, UNUSED):
        columns = f"i::text, 't' || (i % 50), repeat('x', {unused}) as title"
        query = f"select {columns} from generate_series(1, {DOCUMENTS}) i"  # noqa: S608
        grown[unused], documents, _ = growth({"sql": postgres.url(), "query": query, "title": False})
        assert documents == DOCUMENTS
    print("sql", grown)
    assert grown[UNUSED] - grown[1] < 2 * ALLOWED


def test_an_entry_of_the_matrix_takes_as_much_as_the_documentation_says(tmp_path):
    path = tmp_path / "many.csv"
    with path.open("w") as file:
        file.write("id,tag\n")
        for number in range(400_000):
            file.write(f"{number % 4_000},t{number // 4_000}\n")
    grown, documents, entries = growth({"files": str(path), "layout": "pairs"}, path)
    assert (documents, entries) == (4_000, 400_000)
    print(grown / entries, "bytes an entry")
    assert grown / entries < PER_ENTRY
