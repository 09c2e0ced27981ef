"""The curl transcripts of the documents: run in a real shell, compared, or written anew.

`python -m tests.service.transcripts --write` puts the answers of the demo, clustered by the real worker, into the
documents. A transcript is a ```console block of a command and its answer, or a ```sh block of commands, whose answer,
if it has only one, is the ```json block after it. Long answers are shown in part, with … for what is left out. The
corpora are those that the documents declare; the tutorial's are made by its own script. Blocks inside lists are
replayed, too, but not written anew.
"""

import json
import math
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cotag.commands.clustering.sources import SourceOptions, recognised_sections
from service.app import create_gateway
from service.live.document_files import DocumentFiles
from service.live.snapshots import LiveSnapshots
from service.settings import ServiceSettings
from service.web.metrics import Metrics
from service.web.policy.access import digest
from snapshot import CorpusRegister, RegisteredCorpus, SnapshotStore, StatusBoard, encode
from tests.clustered import NOON
from tests.corpora import read_corpora
from tests.service.listening import Server
from worker.clustering.cluster import cluster, load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Declaration
from worker.recognition import section_corpus
from worker.sources.declarations import PushedSource

ROOT = Path(__file__).parents[2]
DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
TUTORIAL = ROOT / "docs" / "tutorial" / "first-cloud.md"
CONSOLE = re.compile(r"```console\n\$ (?P<command>.*?[^\\|])\n(?P<answer>.*?)```", re.DOTALL)
SHELL = re.compile(
    r"```sh\n(?P<command>curl [^\n]*)\n```\n\n```json\n(?P<answer>.*?)```|```sh\n(?P<commands>curl .*?)```", re.DOTALL
)
INDENTED = re.compile(r"^( +)```.*?^\1```", re.DOTALL | re.MULTILINE)
DECLARED = re.compile(r"```toml\n(\[corpora\..*?)```", re.DOTALL)
SERVED_FILES = re.compile(r"^\.venv/bin/cotag up (\S+)$", re.MULTILINE)
SCRIPT = re.compile(r"```python\n(.*?)```", re.DOTALL)
PYTHON = re.compile(r"With Python (\d+)\.(\d+)")
"""The tutorial's documents are files of the Python that runs it."""

MIN_COUNT = Declaration.model_fields["min_count"].default
KEY = "a key for transcripts"
SERVED_AT = "http://127.0.0.1:8000"
VERSION = re.compile(r"\d{8}T\d{6}\.\d{3}Z")
VOLATILE = {"age_seconds", "created", "stale_seconds", "job", "started", "updated", "next_run"}
"""Fields that differ from one moment to the next."""

HEADERS = (
    "ETag",
    "Cache-Control",
    "Vary",
    "Content-Type",
    "Cotag-Version",
    "Content-Security-Policy",
    "X-Content-Type-Options",
)
"""Those that a transcript of headers shows."""

WIDTH = 116
FIRST = 3
"""So many items of a long list are shown, lines of a table, and …"""

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|…|[\[\]{}:,]|[^\s\[\]{}:,"…]+')


@dataclass(frozen=True)
class Transcript:
    """A command and the answer that is shown; None if none is."""

    command: str
    answer: str | None


def transcripts(text):
    """All transcripts of a document, in order."""
    text = INDENTED.sub(lambda block: textwrap.dedent(block[0]), text)
    found = []
    for match in sorted([*CONSOLE.finditer(text), *SHELL.finditer(text)], key=lambda match: match.start()):
        parts = match.groupdict()
        if parts.get("commands"):
            found += [Transcript(line, None) for line in re.split(r"(?<!\\)\n", parts["commands"].strip())]
        elif "curl " in parts["command"]:
            found.append(Transcript(parts["command"], parts["answer"]))
    return found


def asked_for(text):
    """The corpora that the commands of a document ask about."""
    return {name for each in transcripts(text) for name in re.findall(r"/v1/corpora/(\w+)", each.command)}


def declarations(text, folder):
    """The corpora that a document declares and asks about, read as the worker reads them."""
    corpora = {}
    file = folder / "corpora.toml"
    for block in DECLARED.findall(INDENTED.sub(lambda block: textwrap.dedent(block[0]), text)):
        if asked_for(text) & set(re.findall(r"\[corpora\.(\w+)\]", block)):
            file.write_text(block)
            corpora |= read_corpora(file)
    for name in SERVED_FILES.findall(text):
        (section,) = recognised_sections([str(folder / name)], SourceOptions(), MIN_COUNT)
        corpora |= {section.name: section_corpus(section)}
    return corpora


def prepare(folder):
    """The files that the commands and declarations of the documents expect in the folder of the reader."""
    (folder / "demo").symlink_to(ROOT / "demo")
    script = SCRIPT.search(TUTORIAL.read_text())[1]
    lines = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout
    (folder / "imports.jsonl").write_bytes(lines)
    (folder / "documents.ndjson").write_text('{"id": "a", "tags": ["x", "y"]}\n{"id": "b", "tags": ["y"]}\n')


def groups():
    """The documents with transcripts, by the service that answers them: the tutorial starts one of its own."""
    replayed = [document for document in DOCUMENTS if transcripts(document.read_text())]
    return [[document for document in replayed if document != TUTORIAL], [TUTORIAL]]


def tolerance_of(document):
    """How much the numbers of an answer may differ; None if only another Python gives that answer.

    Python's own library, which the tutorial clusters, changes a little from one patch to the next.
    """
    if document != TUTORIAL:
        return 1e-3
    same_python = PYTHON.search(document.read_text()).groups() == tuple(map(str, sys.version_info[:2]))
    return 0.5 if same_python else None


@contextmanager
def serving(redis, folder, documents):
    """A service with what these documents declare, clustered by the worker; gives its address."""
    redis.flushall()
    stages = Stages(lambda *_: None)
    store = SnapshotStore(redis)
    corpora = {name: corpus for each in documents for name, corpus in declarations(each.read_text(), folder).items()}
    for corpus in corpora.values():
        if not isinstance(corpus.document_source, PushedSource):
            tagged, notes = load_documents(corpus, stages)
            store.publish(encode(*cluster(corpus, tagged, NOON, stages, notes=notes)))
    CorpusRegister(redis).write(
        {
            name: RegisteredCorpus(
                name, corpus.title, corpus.schedule, 1.8e9, isinstance(corpus.document_source, PushedSource)
            )
            for name, corpus in corpora.items()
        }
    )
    files = DocumentFiles(Path(folder) / "documents")
    live = LiveSnapshots(store, StatusBoard(redis), register=CorpusRegister(redis), document_files=files)
    live.refresh()
    server = Server(create_gateway(live, redis, ServiceSettings(api_keys=digest(KEY)), Metrics(), lambda _: None))
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        server.stop()


def run(command, address, folder):
    """What a shell prints in a folder."""
    return subprocess.run(
        ["bash", "-c", command.replace(SERVED_AT, address)],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "KEY": KEY, "no_proxy": "*", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def tokens(text):
    """The words, numbers and signs of an answer, without what differs from one moment to the next."""
    found = TOKEN.findall(VERSION.sub("VERSION", text))
    for place in range(len(found) - 2):
        if found[place].strip('"') in VOLATILE and found[place + 1] == ":":
            found[place + 2] = "VOLATILE"
    return found


def same(shown, real, tolerance=1e-3):
    """Whether two tokens say the same; of numbers, whether they nearly do: processors round differently."""
    if shown == real:
        return True
    try:
        return math.isclose(float(shown), float(real), rel_tol=tolerance, abs_tol=1e-5)
    except ValueError:
        return False


def agrees(shown, real, tolerance=1e-3):
    """Whether an answer has all that is shown of it, in order; … stands for anything."""
    alike = partial(same, tolerance=tolerance)
    parts, part = [], []
    for word in tokens(shown):
        if word == "…":
            parts.append(part)
            part = []
        else:
            part.append(word)
    parts.append(part)
    answer = tokens(real)
    if len(parts) == 1:
        return len(part) == len(answer) and all(map(alike, part, answer))
    head, *middle, tail = parts
    if not _at(answer, head, 0, alike) or not _at(answer, tail, len(answer) - len(tail), alike):
        return False
    place, end = len(head), len(answer) - len(tail)
    for each in middle:
        place = next((at + len(each) for at in range(place, end - len(each) + 1) if _at(answer, each, at, alike)), None)
        if place is None:
            return False
    return place <= end


def _at(answer, part, place, alike):
    return place >= 0 and len(answer) >= place + len(part) and all(map(alike, part, answer[place:]))


def shown(command, answer):
    """An answer as a document shows it: parts of it, in lines that fit."""
    if " -I " in command:
        status, *lines = answer.splitlines()
        parted = (line.partition(": ") for line in lines)
        headers = {name.lower(): value for name, _, value in parted}  # the case of their names means nothing
        headers["etag"] = re.sub(r"-[0-9a-f]{16}", "-…", headers["etag"])
        return "\n".join([status, *(f"{name}: {headers[name.lower()]}" for name in HEADERS)])
    try:
        return rendered(json.loads(answer))
    except ValueError:
        lines = answer.strip().splitlines()
        return "\n".join([*lines[: 2 * FIRST], "…"] if len(lines) > 2 * FIRST else lines)


def rendered(value, indent=0):
    """JSON on one line if it fits, or one line an item."""
    line = _line(value)
    if len(line) + indent <= WIDTH or not isinstance(value, dict | list) or _plain(value):
        return line
    items = _items(value, lambda item: rendered(item, indent + 2))
    inside = "\n" + " " * (indent + 2)
    return line[0] + inside + f",{inside}".join(items) + inside[:-2] + line[-1]


def _line(value):
    if not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    items = ", ".join(_items(value, _line))
    return f"{{{items}}}" if isinstance(value, dict) else f"[{items}]"


def _items(value, render):
    """The fields of a record, or the first items of a list or of a table by id."""
    if isinstance(value, list):
        items = [render(item) for item in value[: 3 * FIRST if _plain(value) else FIRST]]
    else:
        by_id = all(name.isdecimal() for name in value)
        items = [f"{json.dumps(name)}: {render(item)}" for name, item in value.items()][: FIRST if by_id else None]
    return [*items, "…"] if len(items) < len(value) else items


def _plain(value):
    return isinstance(value, list) and all(isinstance(item, int | float | str) for item in value)


def written(document, address, folder):
    """The text of a document with the answers of now."""
    text, tolerance = document.read_text(), tolerance_of(document)
    if tolerance is None:
        return text

    def renewed(match):
        command = match["command"]
        if not command or "curl " not in command:
            return match[0]
        real = run(command, address, folder)
        answer = shown(command, real)
        if agrees(match["answer"], answer if " -I " in command else real, tolerance):
            return match[0]
        start, end = match.start("answer") - match.start(), match.end("answer") - match.start()
        return match[0][:start] + answer + "\n" + match[0][end:]

    return SHELL.sub(renewed, CONSOLE.sub(renewed, text))


def write():
    """Put the answers of now into all documents."""
    from tests.servers import Server

    with tempfile.TemporaryDirectory(prefix="cotag-") as name:
        folder = Path(name)
        prepare(folder)
        server = Server(folder / "store").start()
        for documents in groups():
            with serving(server.client(), folder, documents) as address:
                for document in documents:
                    document.write_text(written(document, address, folder))
        server.stop()


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    write()
