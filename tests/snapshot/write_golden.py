"""Writes the golden snapshot of the current schema: python -m tests.snapshot.write_golden, once, when SCHEMA grows."""

import sys
from pathlib import Path

from snapshot import SCHEMA
from tests.clustered import published


def write(folder):
    """The parts of the small corpus as the worker publishes them at noon."""
    folder.mkdir(parents=True)
    encoded = published()
    for name, part in (("meta.json", "meta"), ("arrays.npz", "arrays"), ("documents.npz", "documents")):
        (folder / name).write_bytes(getattr(encoded, part))
    (chunk,) = encoded.index
    (folder / "index.zlib").write_bytes(chunk)


if __name__ == "__main__":
    golden = Path(__file__).parent / "golden" / f"schema-{SCHEMA}"
    if golden.exists():
        sys.exit(f"{golden.name} exists; a golden is written once")
    write(golden)
