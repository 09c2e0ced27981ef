"""What docs/how-to/clients.md shows in Python and JavaScript runs as it stands, against a running service."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.needs import missing

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "how-to" / "clients.md").read_text()

pytestmark = pytest.mark.slow


def blocks(language, served, text=TEXT):
    """The blocks of code, about a corpus and tags that are served here."""
    found = re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    tags = [each["tag"] for each in served.get("/v1/corpora/topics/tags?limit=2")["tags"]]
    for old, new in {"http://127.0.0.1:8000": served.url, '"demo"': '"topics"', '"card"': f'"{tags[0]}"'}.items():
        found = [block.replace(old, new) for block in found]
    return [re.sub('"payments?"', f'"{tags[1]}"', block) for block in found]


def printed(*command, cwd):
    done = subprocess.run(command, cwd=cwd, env=os.environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_python_runs(served):
    first, second = blocks("python", served)
    shown = printed(sys.executable, "-c", first, cwd=ROOT)
    assert "404" in shown
    assert len(shown.splitlines()) > 2
    printed(sys.executable, "-c", second, cwd=ROOT)


def test_the_client_of_the_readme_runs(served):
    text = (ROOT / "README.md").read_text()
    (block,) = (block for block in blocks("python", served, text) if "cotag.client" in block)
    assert printed(sys.executable, "-c", block, cwd=ROOT)


def test_the_javascript_runs(served):
    if shutil.which("node") is None:
        missing("Node (apt-get install nodejs npm)")
    (block,) = blocks("js", served)
    shown = printed(
        "node", "--input-type=module", "-e", block + "console.log(groups.length)", cwd=ROOT / "clients" / "js"
    )
    assert int(shown) > 0
