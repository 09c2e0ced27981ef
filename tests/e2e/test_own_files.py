"""Own files: one command from a table to a page, a changed file, and the corpora of earlier files."""

import stat

import httpx
import pytest

from snapshot import SnapshotStore, connect
from tests.e2e.launching import Up
from tests.exports.catalogue import EXPORTS
from tests.exports.documents import COUNT
from tests.own_tables import DOCUMENTS, TABLES, semicolons, wordpress
from tests.waiting import DEADLINE, wait_until
from worker.recognition import corpus_name

IN_EVERY_TEST = {"wordpress", "sqlite"}
"""The others run nightly; `make check` clusters all seven on the command line."""


def page(up, path):
    answer = httpx.get(f"{up.url}{path}", trust_env=False, timeout=DEADLINE)
    assert answer.status_code == 200, answer.text
    return answer.text


@pytest.mark.parametrize(
    "table", [table if table in IN_EVERY_TEST else pytest.param(table, marks=pytest.mark.nightly) for table in TABLES]
)
def test_one_command_leads_from_each_of_the_seven_tables_to_a_page(tmp_path, table):
    write, options = TABLES[table]
    with Up(tmp_path / "data", arguments=[write(tmp_path), *options]).ready() as up:
        (corpus,) = up.get("/v1/corpora")["corpora"]
        assert (corpus["documents"], corpus["tags"]) == (DOCUMENTS, 32)
        assert "guitar" in page(up, "/?q=piano")
        assert "tags from" in up.output().splitlines()[0]
        wait_until(lambda: f"{DOCUMENTS} documents and 32 tags are clustered; left out: nothing" in up.output(), "it")


def test_exports_of_programs_are_served_together_with_their_titles_and_dates(tmp_path):
    """Among them one with a wrapper, one with a join, and one whose tags only the values show."""
    wanted = ("Zotero CSV with DOIs", "a column that only its values explain", "Firefox bookmarks JSON", "Evernote",
              "Elasticsearch (_source)", "Django (taggit)")  # fmt: skip
    exports = [EXPORTS[name](tmp_path) for name in wanted]
    with Up(tmp_path / "data", arguments=[export.target for export in exports]).ready() as up:
        served = [COUNT] * len(exports)
        wait_until(
            lambda: [each.get("documents") for each in up.get("/v1/corpora")["corpora"]] == served, "all exports"
        )
        for export in exports:
            listed = up.get(f"/v1/corpora/{corpus_name(str(export.target))[0]}/documents?limit=3")
            assert listed["total"] == COUNT
            assert all(document["title"].startswith("Über ") for document in listed["documents"])
            assert all(bool(document["date"]) == ("date" in export.holds) for document in listed["documents"])


def test_a_changed_file_is_clustered_again_and_earlier_files_are_kept_but_not_served(tmp_path):
    data, songs, posts = tmp_path / "data", semicolons(tmp_path), wordpress(tmp_path)
    with Up(data, arguments=[songs]).ready() as up:
        version = up.version("songs")
        lines = songs.read_text().splitlines(keepends=True)
        songs.write_text("".join(lines[:-10]))
        up.everywhere(lambda corpus: corpus["documents"] == DOCUMENTS - 10, "the change", "/v1/corpora/songs")
        changed = up.version("songs")
        assert changed > version
        assert stat.S_IMODE((data / "corpora.toml").stat().st_mode) == 0o600
    with Up(data, arguments=[posts]).ready() as up:
        assert [corpus["name"] for corpus in up.get("/v1/corpora")["corpora"]] == ["posts"]
        up.get("/v1/corpora/songs", status=404)
        assert SnapshotStore(connect(up.store_url)).current("songs") == changed
    with Up(data, arguments=[songs, posts]).ready() as up:
        up.everywhere(lambda state: state["corpora"].get("songs") == changed, "the songs again")
        assert "agglomerate" not in up.output()


def test_a_file_of_which_nothing_remains_ends_with_a_proposal(tmp_path):
    file = tmp_path / "few.csv"
    file.write_text("id,tags\n" + "".join(f"{n},a{n % 12};b{n % 11}\n" for n in range(24)))
    with Up(tmp_path / "data", arguments=[file]) as up:
        assert up.process.wait(DEADLINE) == 1
        assert "nothing is left to cluster; min_count = 2 would keep 23 tags and 24 documents" in up.output()
