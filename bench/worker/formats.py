"""Time and memory to read a million rows of CSV, JSON Lines and Parquet, and 100,000 of xlsx, beside pandas and polars.

    python -m bench.worker.formats [ROWS]        # prints the table; writes bench/results/formats.md

Each reads the same file in a process of its own and counts documents and tags. Cotag recognises the file, checks every
value and makes cards, as a run does; the others read id, title and tags and split the tags. Processor time is that of
all threads; memory is the peak above what the process had after its imports.
"""

import itertools
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

from bench.cocluster.scale.memory import forget_peak, peak

ROOT: Final = Path(__file__).parents[2]
KINDS: Final = ("csv", "jsonl", "parquet", "xlsx")
SEPARATOR: Final = "|"


def rows(count: int) -> dict[str, list[Any]]:
    """Columns of documents with a title and three to eight tags of a vocabulary of 20,000, frequent ones first."""
    random = np.random.default_rng(0)
    lengths = random.integers(3, 9, count)
    places = np.minimum(random.zipf(1.3, lengths.sum()), 20_000)
    starts = np.cumsum([0, *lengths])
    tags = [
        list(dict.fromkeys(f"tag {place}" for place in places[start:end].tolist()))
        for start, end in itertools.pairwise(starts)
    ]
    return {"id": list(range(count)), "title": [f"Title of document {n}" for n in range(count)], "tags": tags}


def write(folder: Path, kind: str, count: int) -> Path:
    """The file of a kind."""
    import pandas as pd  # noqa: PLC0415 - heavy

    table, path = pd.DataFrame(rows(count)), folder / f"documents.{kind}"
    if kind == "jsonl":
        table.to_json(path, orient="records", lines=True)
    elif kind == "parquet":
        table.to_parquet(path)
    else:
        table["tags"] = table["tags"].str.join(SEPARATOR)
        if kind == "csv":
            table.to_csv(path, index=False)
        else:
            from tests.exports.tables import write_xlsx  # noqa: PLC0415 - of the tests

            write_xlsx(path, [list(table.columns), *table.itertuples(index=False, name=None)])  # type: ignore[no-untyped-call]
    return path


def cotag(path: Path) -> Callable[[], tuple[int, int]]:
    from worker.corpora.reader import document_blocks  # noqa: PLC0415 - imports are not measured
    from worker.recognition import Section, Wishes, recognise, section_corpus  # noqa: PLC0415
    from worker.sources.document import Tally  # noqa: PLC0415
    from worker.vocabulary.tag_corpus import read_entries  # noqa: PLC0415

    def read() -> tuple[int, int]:
        corpus = section_corpus(Section("documents", "documents", recognise(str(path), "documents", Wishes()), 1))
        entries = read_entries(document_blocks(corpus, Tally()), pairs=False)
        return len(entries.row_of), len(entries.spelled)

    return read


def pandas(path: Path) -> Callable[[], tuple[int, int]]:
    import pandas as pd  # noqa: PLC0415

    readers: dict[str, Callable[[], Any]] = {
        ".csv": lambda: pd.read_csv(path),
        ".jsonl": lambda: pd.read_json(path, lines=True),
        ".parquet": lambda: pd.read_parquet(path),
        ".xlsx": lambda: pd.read_excel(path, engine="calamine"),
    }

    def read() -> tuple[int, int]:
        table = readers[path.suffix]()
        tags = table["tags"]
        split = tags.str.split(SEPARATOR, regex=False) if path.suffix in {".csv", ".xlsx"} else tags
        return len(table), len(split.explode())

    return read


def polars(path: Path) -> Callable[[], tuple[int, int]] | None:
    import polars as pl  # noqa: PLC0415

    readers: dict[str, Callable[[], Any]] = {
        ".csv": lambda: pl.read_csv(path).with_columns(pl.col("tags").str.split(SEPARATOR)),
        ".jsonl": lambda: pl.read_ndjson(path),
        ".parquet": lambda: pl.read_parquet(path),
    }
    if path.suffix not in readers:
        return None

    def read() -> tuple[int, int]:
        table = readers[path.suffix]()
        return len(table), len(table["tags"].explode())

    return read


READERS: Final = {"Cotag": cotag, "pandas": pandas, "polars": polars}


def measure(reader: str, path: Path) -> dict[str, float] | None:
    """Processor seconds, megabytes and counts of one reader, in this process."""
    read = READERS[reader](path)
    if read is None:
        return None
    before = forget_peak()
    start = time.process_time()
    documents, tags = read()
    seconds = time.process_time() - start
    return {"seconds": seconds, "mb": (peak() - before) / 1e6, "documents": documents, "tags": tags}


def table(count: int) -> str:
    """The table of all readers and kinds."""
    lines = [
        "| file | size | " + " | ".join(f"{name}: s, MB" for name in READERS) + " |",
        "|---|--:|" + "--:|" * len(READERS),
    ]
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            number = count if kind != "xlsx" else count // 10
            path = write(Path(folder), kind, number)
            cells, counts = [], set()
            for reader in READERS:
                command = [sys.executable, "-m", "bench.worker.formats", "--one", reader, str(path)]
                result = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
                cells.append("not read" if result is None else f"{result['seconds']:.1f}, {result['mb']:.0f}")
                if result is not None:
                    counts.add((result["documents"], result["tags"]))
            if len(counts) != 1:
                raise AssertionError(f"{kind}: they disagree: {counts}")
            size = f"{path.stat().st_size / 1e6:.0f} MB"
            lines.append(f"| {kind}, {number:,} rows | {size} | " + " | ".join(cells) + " |")
            print(lines[-1], flush=True)
            path.unlink()
    return "\n".join(lines)


def main() -> None:
    if sys.argv[1:2] == ["--one"]:
        json.dump(measure(sys.argv[2], Path(sys.argv[3])), sys.stdout)
        return
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    text = table(count)
    print(text)
    head = "# Reading a million rows\n\n`python -m bench.worker.formats`. Processor seconds; MB above the imports.\n\n"
    (ROOT / "bench/results/formats.md").write_text(f"{head}{text}\n")


if __name__ == "__main__":
    main()
