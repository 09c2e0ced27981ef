"""Declarations of corpora: what may stand in the file, and what is wrong said with its place."""

import re
import traceback
from pathlib import Path

import psutil
import pytest

from tests.corpora import read_corpora
from worker.corpora.schedules import seconds
from worker.errors import CorpusError
from worker.settings import demo_corpora
from worker.sources.declarations import FileSource, PushedSource, SqlSource


def write(tmp_path, text):
    (tmp_path / "documents.jsonl").touch()
    file = tmp_path / "corpora.toml"
    file.write_text(text)
    return file


def test_the_demo_is_declared():
    corpus = read_corpora(demo_corpora())["demo"]
    assert corpus.path.is_file()
    assert corpus.next_after(0.0) == 24 * 3600


def test_paths_are_relative_to_the_file(tmp_path):
    corpus = read_corpora(write(tmp_path, '[corpora.one]\nsource = "documents.jsonl"'))["one"]
    assert corpus.path == tmp_path / "documents.jsonl"


@pytest.mark.parametrize(("text", "expected"), [("90s", 90), ("15m", 900), ("24h", 86400), ("7 d", 604800)])
def test_intervals(text, expected):
    assert seconds(text) == expected


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ("'500MB'", 500 * 10**6),
        ("'4GB'", 4 * 10**9),
        ("'4 GiB'", 4 * 2**30),
        ("' 512MiB '", 512 * 2**20),
        ("'1.5gb'", 1_500_000_000),
        ("4000000000", 4 * 10**9),
    ],
)
def test_a_memory_limit_is_a_size_in_bytes(tmp_path, size, expected):
    text = f"[corpora.one]\nsource='documents.jsonl'\nmemory_limit={size}"
    assert read_corpora(write(tmp_path, text))["one"].memory_limit_bytes == expected


@pytest.mark.parametrize("size", ["'lots'", "'1,5GB'", "'4GB or so'", "'4XB'", "'-4GB'", "-4", "''", "true"])
def test_a_memory_limit_that_is_no_size_is_named(tmp_path, size):
    text = f"[corpora.one]\nsource='documents.jsonl'\nmemory_limit={size}"
    with pytest.raises(CorpusError, match=r"memory_limit: .* is not a size such as '500MB', '4GB' or '4GiB'"):
        read_corpora(write(tmp_path, text))


def test_without_a_memory_limit_a_run_may_take_what_the_machine_has_available(tmp_path):
    corpus = read_corpora(write(tmp_path, "[corpora.one]\nsource='documents.jsonl'"))["one"]
    assert 0 < corpus.memory_limit_bytes <= psutil.virtual_memory().total


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[corpora.one]\nsource = \n", r"corpora\.toml: .*line 2"),
        ("", "declares no corpus"),
        ("[one]", r"unknown section \[one\]"),
        ("[corpora.One]\nsource='documents.jsonl'", r"\[corpora.One\]: a name consists of"),
        ("[corpora.one]", r"\[corpora.one\] source: Field required"),
        (
            "[corpora.one]\nsource='documents.jsonl'\nmin_cuont=3",
            r"corpora\.toml: line 3: \[corpora.one\] min_cuont: unknown key; did you mean min_count\?$",
        ),
        ("[corpora.one]\nsource='documents.jsonl'\nmin_count=0", "min_count: Input should be greater"),
        (
            "[corpora.one]\nsource='documents.jsonl'\nschedule='often'",
            "'often' is neither an interval such as '24h' nor a cron",
        ),
        ("[corpora.one]\nsource='documents.jsonl'\nteleport=0.0", "teleport: Input should be greater than 0"),
        ("[corpora.one]\nsource=''", r"\[corpora.one\] source: String should have at least 1 character"),
        ("[corpora.one]\nsource=3", r"\[corpora.one\] source: a source is a path, or a table with exactly one of"),
        ("[corpora.one.source]\nfiles='d'\nsql='x'", r"\[corpora.one\] source: a source is a path, or a table with"),
        ("[corpora.one.source]\nformat='csv'", r"\[corpora.one\] source: a source is a path, or a table with"),
        (
            "[corpora.one.source]\nfiles='*'",
            r"does not tell the format; declare format: jsonl, json, csv, tsv, ",
        ),
        (
            "[corpora.one.source]\nfiles='d.csv'\nformat='yaml'",
            r"\[corpora.one\] source.format: unknown format 'yaml'; the formats are jsonl, json, csv, tsv, ",
        ),
        (
            "[corpora.one.source]\nfiles='d.csv'\nfield='x'",
            r"line 3: \[corpora.one\] source.field: unknown key; did you mean fields\?",
        ),
        (
            "[corpora.one.source]\nfiles='d.csv'\nlayout='rows'",
            r"source.layout: Input should be 'list', 'pairs' or 'columns'",
        ),
        ("[corpora.one.source]\nfiles='d.csv'\nid=2", r"source: id must be a name"),
        ("[corpora.one.source]\nfiles='d.csv'\nid=true", r"source.id: Input should be"),
        ("[corpora.one.source]\nfiles='d.csv'\nheader=false\nid='x'", r"source: id must be a column number"),
        ("[corpora.one.source]\nfiles='d.csv'\nheader=false\nid=0", r"source.id: Input should be"),
        ("[corpora.one.source]\nfiles='d.jsonl'\nheader=false", r"source: header belongs to csv, tsv"),
        ("[corpora.one.source]\nfiles='d.csv'\nlayout='pairs'\nseparator=','", r"source: separator belongs to layout"),
        ("[corpora.one.source]\nsql='sqlite://'", r"\[corpora.one\] source.query: Field required"),
        (
            "[corpora.one.source]\nsql='sqlite://'\nquery='select'\nseparator=','",
            r"source: separator belongs to layout",
        ),
        ("[corpora.one.source]\npushed=false", r"\[corpora.one\] source.pushed: Input should be True"),
        (
            "[corpora.one]\nsource='documents.jsonl'\nsynonyms={a='b', b='a'}",
            r"\[corpora.one\] synonyms: goes round in a circle: 'a' = 'b' = 'a'",
        ),
        (
            "[corpora.one]\nsource='documents.jsonl'\nsynonyms={a='b'}\nban=['A']",
            r"\[corpora.one\] ban: 'a' is also a synonym",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path, text, message):
    with pytest.raises(CorpusError, match=message):
        read_corpora(write(tmp_path, text))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(CorpusError, match=r"nowhere\.toml: No such file"):
        read_corpora(tmp_path / "nowhere.toml")


def test_schedules_are_intervals_or_cron_expressions_in_utc(tmp_path):
    head = "[corpora.one]\nsource='documents.jsonl'\n"
    nightly = read_corpora(write(tmp_path, head + "schedule='30 3 * * *'"))["one"]
    assert nightly.next_after(0.0) == 3.5 * 3600
    assert nightly.next_after(3.5 * 3600) == 27.5 * 3600


def test_the_digest_changes_with_what_asks_for_a_new_run_and_only_with_that(tmp_path):
    head = "[corpora.one]\nsource='documents.jsonl'\n"
    plain = read_corpora(write(tmp_path, head))["one"].digest()
    assert read_corpora(write(tmp_path, head + "min_count=2"))["one"].digest() != plain
    assert read_corpora(write(tmp_path, head + "schedule='5m'"))["one"].digest() == plain
    assert read_corpora(write(tmp_path, head + "memory_limit='4GB'"))["one"].digest() == plain
    assert read_corpora(write(tmp_path, head + "synonyms={a='b'}"))["one"].digest() != plain


def test_the_digest_changes_with_every_part_of_the_source(tmp_path):
    head = "[corpora.one.source]\nsql='sqlite://'\n"
    plain = read_corpora(write(tmp_path, head + "query='select 1, 2'"))["one"].digest()
    assert read_corpora(write(tmp_path, head + "query='select 2, 1'"))["one"].digest() != plain


def test_each_kind_of_source_can_be_declared(tmp_path):
    text = """
    [corpora.path]
    source = "documents.jsonl"
    [corpora.files]
    source = { files = "d*.jsonl", layout = "pairs", id = "key" }
    [corpora.sql]
    source = { sql = "${DATABASE_URL}", query = "select document, tag from tags" }
    [corpora.pushed]
    source = { pushed = true }
    """
    corpora = read_corpora(write(tmp_path, text))
    assert {name: type(corpus.document_source) for name, corpus in corpora.items()} == {
        "path": FileSource,
        "files": FileSource,
        "sql": SqlSource,
        "pushed": PushedSource,
    }
    assert corpora["files"].path == tmp_path / "d*.jsonl"
    assert corpora["sql"].path is None


def test_no_message_shows_the_password_of_a_database(tmp_path):
    text = "[corpora.one.source]\nsql = 'x://u:hunter2@h'\nquery = 'q'\n"
    for wrong in ("separator = ','", "layout = 'hunter'", "what = 1"):
        with pytest.raises(CorpusError) as refused:
            read_corpora(write(tmp_path, text + wrong))
        assert "hunter2" not in "".join(traceback.format_exception(refused.value))
    assert "hunter2" not in repr(read_corpora(write(tmp_path, text)))


@pytest.mark.parametrize("table", [FileSource, SqlSource, PushedSource])
def test_every_key_of_a_source_is_documented(table):
    text = (Path(__file__).parents[3] / "docs" / "reference" / "corpora-sources.md").read_text()
    for name in table.model_fields:
        assert re.search(rf"^\| [^|]*`{name}`", text, re.MULTILINE), name


def test_all_faults_are_listed_at_once_each_with_its_line(tmp_path):
    text = """
[corpora.one]
source = { files = "documents.jsonl", seperator = ";" }
min_cuont = 3
ban = "x"
# min_count = 7

[corpora.two.source]
sql = "sqlite://"
query = '''
select a,
tags = 2
'''
tags = "x"

[corpora.three]
source = "documents.jsonl"
separator = ";"
[corpora.three.clean]
hash = false

[corpus.four]
"""
    with pytest.raises(CorpusError) as refused:
        read_corpora(write(tmp_path, text))
    first, *faults = str(refused.value).splitlines()
    assert first.endswith("corpora.toml: 7 errors")
    assert [fault.strip() for fault in faults] == [
        "line 3: [corpora.one] source.seperator: unknown key; did you mean separator?",
        "line 4: [corpora.one] min_cuont: unknown key; did you mean min_count?",
        "line 5: [corpora.one] ban: Input should be a valid list",
        "line 14: [corpora.two] source.tags: unknown key; it belongs to the table source",
        "line 18: [corpora.three] separator: unknown key; it belongs to the table source",
        "line 20: [corpora.three] clean.hash: unknown key; did you mean hashes?",
        "line 22: unknown section [corpus]; corpora are declared as [corpora.NAME]",
    ]


def test_synonyms_bans_and_labels_are_cleaned_as_the_tags_are(tmp_path):
    head = "[corpora.one]\nsource='documents.jsonl'\n"
    text = head + "ban=['#spam']\nsynonyms={'#auto'='car,'}\nlabels={'#food'='Food'}\n"
    corpus = read_corpora(write(tmp_path, text))["one"]
    assert corpus.vocabulary.keys({})["spam"] == ""
    assert corpus.vocabulary.keys({})["auto"] == "car"
    assert corpus.edited_labels == {"food": "Food"}
    kept = read_corpora(write(tmp_path, text + "clean={hashes=false}"))["one"]
    assert kept.vocabulary.keys({"spam": 1})["spam"] == "spam"
    assert kept.digest() != corpus.digest()


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("pattern='('", "source.pattern: '\\(' is not a regular expression"),
        ("pattern='x'\nseparator=';'", "separator and pattern exclude each other"),
        ("pattern='x'\nlayout='pairs'", 'pattern belongs to layout = "list"'),
        ("delimiter=';;;;'", "source.delimiter: String should have at most 3 characters"),
        ("format='jsonl'\ndelimiter=';'", "delimiter belongs to csv, tsv"),
    ],
)
def test_keys_of_lists_and_tables_are_checked(tmp_path, keys, message):
    with pytest.raises(CorpusError, match=message):
        read_corpora(write(tmp_path, f"[corpora.one.source]\nfiles='documents.csv'\n{keys}"))
