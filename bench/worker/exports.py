"""Reads exports as people have them, each with one command, and prints what was found of what is in the file.

    python -m bench.worker.exports                         # this checkout
    git worktree add --detach ../old 1552a35        # the commit before
    python -m bench.worker.exports --beside ../old         # before → after; writes bench/results/exports.md

A row reads `documents right/all · titles · URLs · images · dates`; a document is right if it has exactly its tags.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]  # the probe runs in other checkouts, without the packages beside it
VALUES: Final = ("title", "url", "image", "date")


def measure(target: str, options: dict[str, Any]) -> list[list[Any]] | str:
    """The tags and the card of every document, or the message that refuses the file."""
    from worker.errors import CorpusError  # noqa: PLC0415 - of the checkout that runs
    from worker.recognition import Section, Wishes, corpus_name, recognise, section_corpus  # noqa: PLC0415
    from worker.sources.document import Tally  # noqa: PLC0415

    documents = _reader()

    try:
        name, title = corpus_name(target)
        corpus = section_corpus(Section(name, title, recognise(target, name, Wishes(**options)), 1))
        merged: dict[str, list[Any]] = {}
        for document in documents(corpus, Tally()):
            tags, card = merged.setdefault(document.id, [[], {}])
            tags += document.tags
            if document.card is not None:
                card |= {key: getattr(document.card, key) for key in VALUES[:3]}
                card["date"] = document.card.fields.get("date")
    except (CorpusError, TypeError, AttributeError) as error:  # the others: options that an older checkout lacks
        return str(error)
    return [[sorted(tags), card] for tags, card in merged.values()]


def _reader() -> Any:
    """The function that reads the documents of a corpus, which older checkouts have in another module."""
    try:
        return import_module("worker.corpora.reader").read_documents
    except ModuleNotFoundError:
        return import_module("worker.sources.reading").documents  # before the rooms


def spelled(tags: Any) -> frozenset[str]:
    """Tags without the difference between the ways to write white space."""
    return frozenset(tag.strip().lower().replace(" ", "-").replace("_", "-") for tag in tags if tag.strip())


def summary(found: list[list[Any]] | str, holds: frozenset[str], truth: list[Any]) -> tuple[bool, str]:
    """Whether everything that the file holds was found, and the counts."""
    if isinstance(found, str):
        return False, "refused"
    expected = [spelled(tags) for tags in truth]
    right = 0
    for tags, _ in found:
        if spelled(tags) in expected:
            expected.remove(spelled(tags))
            right += 1
    counts = {value: sum(card.get(value) is not None for _, card in found) for value in VALUES}
    complete = len(found) == right == len(truth) and all(counts[value] == len(truth) for value in holds)
    shown = [f"{counts[value]}/{len(truth) if value in holds else 0}" for value in VALUES]
    return complete, " · ".join([f"{right}/{len(truth)}" + (f" of {len(found)}" if len(found) > right else ""), *shown])


def measured_by(checkout: Path, jobs: list[tuple[str, dict[str, Any]]]) -> list[Any]:
    """What the code of a checkout makes of the files."""
    command = [sys.executable, str(Path(__file__)), "--probe"]
    result = subprocess.run(
        command, input=json.dumps(jobs), stdout=subprocess.PIPE, text=True, check=True, cwd=checkout,
        env={"PYTHONPATH": str(checkout), "PATH": ""},
    )  # fmt: skip
    measured: list[Any] = json.loads(result.stdout)
    return measured


def table(beside: Path | None) -> tuple[str, int, int]:
    """The table, and how many exports were read completely of how many."""
    from tests.exports.catalogue import EXPORTS  # noqa: PLC0415 - not in the path of the other checkout
    from tests.exports.documents import docs  # noqa: PLC0415

    truth = [doc.tags for doc in docs()]  # type: ignore[no-untyped-call]
    with tempfile.TemporaryDirectory() as folder:
        exports = {}
        for place, (name, write) in enumerate(EXPORTS.items()):
            (Path(folder) / str(place)).mkdir()
            exports[name] = write(Path(folder) / str(place))
        jobs = [(str(export.target), dict(export.options)) for export in exports.values()]
        sides = [measured_by(checkout, jobs) for checkout in ([beside] if beside else []) + [ROOT]]
    lines = ["| export |" + (" before |" if beside else "") + " now |", "|---|" + "---|" * len(sides)]
    complete = 0
    for place, (name, export) in enumerate(exports.items()):
        cells = []
        for side in sides:
            whole, text = summary(side[place], export.holds, truth)
            cells.append(("✓ " if whole else "✗ ") + text)
        complete += cells[-1].startswith("✓")
        lines.append(f"| {name} | {' | '.join(cells)} |")
        if isinstance(sides[-1][place], str):
            print(f"{name}: {sides[-1][place]}", file=sys.stderr)
    return "\n".join(lines), complete, len(exports)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--beside", type=Path, help="another checkout, to measure before this one")
    parser.add_argument("--probe", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.probe:
        json.dump([measure(target, options) for target, options in json.load(sys.stdin)], sys.stdout, default=str)
        return
    text, complete, total = table(arguments.beside.resolve() if arguments.beside else None)
    print(text, f"\n{complete} of {total} are read completely")
    if arguments.beside:
        head = (
            "# Exports before and after\n\n`python -m bench.worker.exports --beside ../old`; before is commit 1552a35."
            " A cell: documents with exactly"
            " their tags / all · titles · URLs · images · dates, each found / in the file.\n\n"
        )
        (ROOT / "bench/results/exports.md").write_text(f"{head}{text}\n\n{complete} of {total} are read completely.\n")


if __name__ == "__main__":
    main()
