# ruff: noqa: INP001 - a script, no package
"""Turns the report of `pip install --report` into requirements with the hash of every archive.

`pip install --require-hashes -r` then takes exactly these archives, whatever a registry offers under their names.
"""

import json
import sys
from pathlib import Path
from typing import Any


def requirements(report: dict[str, Any]) -> list[str]:
    """A line for each archive, sorted by name; the project itself, which is no archive, is left out."""
    lines = []
    for installed in report["install"]:
        hashes = installed["download_info"].get("archive_info", {}).get("hashes", {})
        if "sha256" in hashes:
            metadata = installed["metadata"]
            lines.append(f"{metadata['name'].lower()}=={metadata['version']} --hash=sha256:{hashes['sha256']}")
    return sorted(lines)


if __name__ == "__main__":
    for line in requirements(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))):
        sys.stdout.write(f"{line}\n")
