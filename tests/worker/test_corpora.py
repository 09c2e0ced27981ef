import pytest

from worker.corpora import read_corpora, seconds
from worker.errors import CorpusError
from worker.settings import demo_corpora


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
    ("text", "message"),
    [
        ("[corpora.one]\nsource = \n", r"corpora\.toml: .*line 2"),
        ("", "declares no corpus"),
        ("[one]", r"unknown section \[one\]"),
        ("[corpora.One]\nsource='documents.jsonl'", r"\[corpora.One\]: a name consists of"),
        ("[corpora.one]", r"\[corpora.one\] source: Field required"),
        ("[corpora.one]\nsource='missing.jsonl'", r"missing\.jsonl is not a file"),
        ("[corpora.one]\nsource='documents.jsonl'\nmin_cuont=3", r"\[corpora.one\] min_cuont: Extra inputs"),
        ("[corpora.one]\nsource='documents.jsonl'\nmin_count=0", "min_count: Input should be greater"),
        (
            "[corpora.one]\nsource='documents.jsonl'\nschedule='often'",
            "'often' is neither an interval such as '24h' nor a cron",
        ),
        ("[corpora.one]\nsource='documents.jsonl'\nteleport=0.0", "teleport: Input should be greater than 0"),
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
