"""The documents make a site: every link leads somewhere, every page is in the navigation, and it can be searched."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Built as `make docs` does it."""
    folder = tmp_path_factory.mktemp("site")
    (command,) = re.findall(
        r"^\t\$\(BIN\)/python (-m sphinx .*) docs build/site$", (ROOT / "Makefile").read_text(), re.MULTILINE
    )
    done = subprocess.run(
        [sys.executable, *command.split(), "-d", str(folder / "doctrees"), "docs", str(folder / "site")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder / "site"


def test_every_document_is_a_page_that_the_first_one_leads_to(site):
    first = (site / "index.html").read_text()
    documents = [path for path in DOCS.rglob("*") if path.suffix in {".md", ".ipynb", ".rst"}]
    assert len(documents) > 60
    for path in documents:
        page = path.relative_to(DOCS).with_suffix(".html")
        assert (site / page).exists()
        assert f'href="{page}"' in first or page.name == "README.html", f"{page} is in no navigation"


def test_it_can_be_searched_and_has_the_docstrings(site):
    assert (site / "searchindex.js").stat().st_size > 100_000
    text = (site / "reference" / "docstrings.html").read_text()
    for name in (
        "cocluster.CoClustering",
        "cocluster.checkerboard",
        "cocluster.plot",
        "cotag.client.Client.cloud",
    ):
        assert f'id="{name}' in text, name


def test_a_link_to_a_file_beside_the_documents_leads_to_the_repository(site):
    assert "/blob/main/examples/README.md" in (site / "how-to" / "clients.html").read_text()


def test_a_broken_link_fails_the_build(tmp_path):
    """With the same settings, on a site of one page."""
    (tmp_path / "README.md").write_text("# A page\n\n[nowhere](nowhere.md)\n")
    options = ["-b", "html", "--fail-on-warning", "-q", "-c", str(DOCS)]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, str(tmp_path), str(tmp_path / "site")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "nowhere.md" in done.stderr
