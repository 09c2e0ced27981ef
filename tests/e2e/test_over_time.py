"""The second tutorial does what it says: its script, its documents with real dates, its trends and its pages."""

import re
import subprocess
import sys
from pathlib import Path
from zoneinfo import TZPATH

import httpx
import pytest

from tests.e2e.launching import Up
from tests.needs import missing

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial" / "over-time.md"


@pytest.fixture(scope="module")
def up(tmp_path_factory):
    if not any(Path(folder, "zone.tab").is_file() for folder in TZPATH):
        missing("the table of time zones (apt-get install tzdata)")
    folder = tmp_path_factory.mktemp("tutorial")
    script = re.search(r"```python\n(.*?)```", TUTORIAL.read_text(), re.DOTALL)[1]
    lines = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout
    (folder / "clocks.jsonl").write_bytes(lines)
    with Up(folder / "data", arguments=[folder / "clocks.jsonl"], COTAG_WEB_WORKERS="1") as up:
        yield up.ready()


def test_what_fell_is_what_the_tutorial_says(up):
    answer = up.get("/v1/corpora/clocks/trends?window=3y&direction=falling")
    fell = {trend["tag"]: trend for trend in answer["tags"]}
    shown = re.findall(r"^\| (country \w+) \|", TUTORIAL.read_text(), re.MULTILINE)
    assert len(shown) == 3
    assert set(shown) <= fell.keys()
    assert all(fell[tag]["count"] * 4 < fell[tag]["before"] for tag in shown)
    assert any("Asia" in trend["label"] for trend in answer["concepts"])


def test_its_pages_show_time(up):
    first = httpx.get(f"{up.url}/", trust_env=False).text
    assert "What rose last" in first or "Rising now" in first
    concept = up.get("/v1/corpora/clocks/tag?tag=Asia")["cluster"]
    assert "over-time" in httpx.get(f"{up.url}/concept?corpus=clocks&id={concept}", trust_env=False).text
    nineties = up.get("/v1/corpora/clocks/documents?from=1990&to=1999&limit=1")["total"]
    assert 0 < nineties < up.get("/v1/corpora/clocks")["documents"]
