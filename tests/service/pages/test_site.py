"""The static site of a corpus: whole, the same every time, within its limit, and nothing foreign is replaced."""

import json
import re
from itertools import accumulate
from pathlib import PurePosixPath

import pytest

from cotag.commands.export import MARK, export_site
from cotag.errors import StartError
from service.errors import SiteTooLarge
from service.site.content import site_files
from service.view.view import View
from tests.service import carded


@pytest.fixture(scope="module")
def files(view):
    return site_files(view, 10_000_000)


def test_every_tag_has_its_cloud_and_every_concept_its_page(files, view):
    listed = json.loads(re.fullmatch(rb"cotag\.tags\((.*)\);\n", files["tags.js"])[1])
    assert [tag for tag, *_ in listed["tags"]] == [view.snapshot.names[tag] for tag in view.by_count]
    clouds = []
    for number in range(-(-len(view.by_count) // listed["shard"])):
        values = re.fullmatch(rb"cotag\.shard\((\d+), (.*)\);\n", files[f"shards/{number}.js"])
        assert int(values[1]) == number
        clouds += json.loads(values[2])
    assert len(clouds) == len(view.by_count)
    for place, groups in enumerate(clouds):
        shown = [tag for _, _, tags, _ in groups for tag in tags]
        assert place not in shown
        assert len(set(shown)) == len(shown)
        assert all(len(tags) == len(sizes) for _, _, tags, sizes in groups)
    for number in view.clusters:
        assert f"concepts/{number}.html" in files


def test_every_link_leads_to_a_file_of_the_site(files):
    for path, content in files.items():
        if not path.endswith(".html"):
            continue
        for link in re.findall(r'(?:href|src)="([^"#]+)', content.decode()):
            assert not link.startswith(("/", "http")), f"{path} leads elsewhere: {link}"
            target = (PurePosixPath(path).parent / link).as_posix()
            while "../" in target:
                target = re.sub(r"[^/]+/\.\./", "", target, count=1)
            assert target in files, f"{path}: {link}"


def test_the_same_version_makes_the_same_bytes(files, view):
    assert site_files(view, 10_000_000) == files


def test_a_site_that_is_too_large_is_refused(view):
    with pytest.raises(SiteTooLarge, match=r"more than 0 MB .* nothing was written"):
        site_files(view, 20_000)


@pytest.fixture
def export(live, redis, tmp_path):
    def write(folder="site", name="small", **options):
        export_site(redis, name, tmp_path / folder, **{"version": None, "most_mb": 10, "as_json": False, **options})
        return tmp_path / folder

    return write


def test_a_site_is_written_and_written_again(export, files, capsys):
    site = export()
    written = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    assert {path for path in written if not path.startswith(("postings/", "documents/"))} == {*files, MARK}
    assert "postings/0.js" in written
    assert "index.html" in capsys.readouterr().out
    (site / "old.html").touch()
    assert not (export() / "old.html").exists()
    assert [path.name for path in site.parent.iterdir() if "site" in path.name] == ["site"]


def test_a_folder_with_other_files_is_left_alone(export, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").touch()
    with pytest.raises(StartError, match="did not write"):
        export("mine")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["letter.txt"]


def test_a_corpus_without_a_version_is_named(export):
    with pytest.raises(StartError, match="nothing-here has no version"):
        export(name="nothing-here")


def test_a_site_that_is_refused_leaves_the_old_one(export):
    site = export()
    before = (site / "index.html").read_bytes()
    with pytest.raises(StartError, match="would take more than 0 MB"):
        export(most_mb=0)
    assert (site / "index.html").read_bytes() == before


def entries(files, call):
    """All entries of the shards of a kind, in their order."""
    found = []
    for number in range(sum(path.startswith(f"{call}/") for path in files)):
        values = re.fullmatch(rf"cotag\.{call}\((\d+), (.*)\);\n".encode(), files[f"{call}/{number}.js"])
        assert int(values[1]) == number
        found += json.loads(values[2])
    return found


def test_every_tag_has_its_documents_and_every_document_its_tags(store, redis, tmp_path):
    """Rare tags too."""
    store.publish(carded.encoded())
    export_site(redis, "carded", tmp_path / "site", version=None, most_mb=10, as_json=False)
    files = {
        path.relative_to(tmp_path / "site").as_posix(): path.read_bytes() for path in tmp_path.glob("site/**/*.js")
    }
    listed = json.loads(re.fullmatch(rb"cotag\.tags\((.*)\);\n", files["tags.js"])[1])
    names = [tag for tag, *_ in listed["tags"]]
    found, postings = entries(files, "documents"), entries(files, "postings")
    assert len(found) == listed["documents"] == len(carded.documents())
    assert carded.RARE in names
    assert len(postings) == len(names)
    for place, steps in enumerate(postings):
        numbers = list(accumulate(steps))
        assert len(numbers) == listed["tags"][place][1]
        assert all(place in found[number][2] for number in numbers)
    assert sum(map(len, postings)) == sum(len(tags) for _, _, tags in found)
    titles = {title: url for title, url, _ in found}
    assert titles["Number 2"] == "https://site.example/2.url"


def test_a_site_without_documents_says_that_it_has_none(view):
    alone = View(view.snapshot)
    files = site_files(alone, 10_000_000)
    listed = json.loads(re.fullmatch(rb"cotag\.tags\((.*)\);\n", files["tags.js"])[1])
    assert listed["documents"] == 0
    assert not [path for path in files if path.startswith(("postings/", "documents/"))]
