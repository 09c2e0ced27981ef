"""Compare the generated files of the clients with openapi.json, or write them: `python -m clients [--write]`."""

import subprocess
import sys
from pathlib import Path

from clients import python, typescript
from clients.api import described, read

ROOT = Path(__file__).parents[1]
ELEMENTS = [ROOT / "service" / "pages" / "static" / name for name in ("cotag-cloud.js", "cotag-tags.js")]
"""The npm package has the same elements as the service."""


def generated() -> dict[Path, str]:
    """Path → text of every generated file, as openapi.json is now."""
    api = read(described())
    files = {ROOT / "cotag" / "client" / name: _formatted(text) for name, text in python.modules(api).items()}
    package = ROOT / "clients" / "js"
    files |= {package / element.name: element.read_text() for element in ELEMENTS}
    return files | {package / name: text for name, text in typescript.modules(api).items()}


def _formatted(text: str) -> str:
    """Python as ruff writes it."""
    ruff = [sys.executable, "-m", "ruff", "format", "--stdin-filename", "client.py", "-"]
    return subprocess.run(ruff, input=text, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def main() -> None:
    """Write them if asked to; otherwise say which differ."""
    writes = "--write" in sys.argv[1:]
    files = generated()
    differ = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    for path in differ:
        if writes:
            path.write_text(files[path])
        print(("wrote " if writes else "differs from openapi.json: ") + str(path.relative_to(ROOT)))  # noqa: T201
    sys.exit(0 if writes or not differ else 1)


if __name__ == "__main__":
    main()
