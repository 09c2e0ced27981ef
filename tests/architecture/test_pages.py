"""The documents are short, say each thing once, and say so when they are overtaken."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
MOST_WORDS = 1500
MOST_QUOTED = 6
"""A document may quote so many rows of a table of bench/results, its heading included; more of it is linked."""

RULE = re.compile(r"^\|[-:| ]+\|$")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_page_is_longer_than_a_quarter_of_an_hour(page):
    words = len(page.read_text().split())
    assert words <= MOST_WORDS, f"{page.relative_to(ROOT)} has {words} words: split it by its headings"


def test_the_readme_fits_on_two_screens():
    assert len((ROOT / "README.md").read_text().splitlines()) < 120


def tables(text):
    """The rows of each table, without the rule below its heading."""
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        yield [line for line in block.splitlines() if not RULE.match(line)]


def test_measurements_exist_once():
    """bench/results has the tables that commands write; documents say what they mean."""
    measured = {
        row for path in (ROOT / "bench" / "results").rglob("*.md") for rows in tables(path.read_text()) for row in rows
    }
    assert len(measured) > 300
    for page in PAGES:
        for rows in tables(page.read_text()):
            copied = len(rows) > MOST_QUOTED and measured.issuperset(rows)
            assert not copied, f"{page.relative_to(ROOT)} repeats the table of {rows[0]}"


def test_the_list_of_decisions_has_every_title():
    text = (DOCS / "decisions" / "README.md").read_text()
    listed = dict(re.findall(r"^- \[(\d{4})\]\([\w-]+\.md\) (.*)$", text, re.MULTILINE))
    titles = dict(
        re.match(r"# (\d{4}) (?:· )?(.*)\n", path.read_text()).groups() for path in (DOCS / "decisions").glob("0*.md")
    )
    assert listed == titles


def test_an_overtaken_decision_says_so_in_its_title_and_first_line():
    """A title that names another record belongs to an overtaken one, and the first line leads there."""
    overtaken = 0
    for path in (DOCS / "decisions").glob("0*.md"):
        title, _, first, *_ = path.read_text().splitlines()
        later = re.search(r"\(.*\b(0\d{3})\b.*\)$", title)
        overtaken += later is not None
        assert (later is not None) == first.startswith("**Overtaken"), path.name
        assert later is None or f"[{later[1]}]({later[1]}-" in first, path.name
    assert overtaken >= 5


def test_the_first_page_leads_to_every_other_page():
    text = (DOCS / "README.md").read_text()
    for page in PAGES:
        name = str(page.relative_to(DOCS))
        assert name == "README.md" or f"]({name})" in text or name.startswith("decisions/0"), name


def test_no_document_installs_from_a_package_index():
    """Cotag is in none: every document installs from a checkout or from files that the reader has."""
    for page in [ROOT / "README.md", *PAGES]:
        for line in re.findall(r"(?:pip|pipx|uvx|npm) [^`\n]*", page.read_text()):
            assert not re.search(r"install '?cotag|--from '?cotag", line), f"{page.relative_to(ROOT)}: {line}"
