"""Every piece of advice that a refused file gets is taken here, with the real command, and works."""

import gzip
import json
import re
import shlex
import subprocess
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from cotag.cli import cli
from tests.exports.tables import table_text, write_xlsx

OPTIONS = re.compile(r"--(?:tags|id|separator|layout|records|query)(?: (?:'[^']*'|[^\s;:,()']+))")


def init(target, *options):
    return CliRunner().invoke(cli, ["init", str(target), *options, "--min-count", "1", "--output", "-"])


def refusal(target):
    result = init(target)
    assert result.exit_code == 1, result.output
    return str(result.exception)


def pieces(message):
    """The pieces of advice: options that stand side by side belong together."""
    found, end = [], -2
    for match in OPTIONS.finditer(message):
        if match.start() == end + 1:
            found[-1] += shlex.split(match[0])
        else:
            found.append(shlex.split(match[0]))
        end = match.end()
    return found


def table(*lines):
    return "\n".join(lines) + "\n"


CASES = {
    "two columns of tags": ("t.csv", table("id,keywords,labels", "1,a;b,u;v", "2,b,v"), 4, {}),
    "two ids": ("t.csv", table("post_id,thread_id,tags", "1,8,a;b", "2,9,b;c"), 4, {}),
    "two separators": ("t.csv", table("id\ttags", "1\ta;b,c", "2\tb;c,d"), 2, {}),
    "pairs or lists": ("t.csv", table("id,tag", '1,"a,b"', '1,"b,c"', '2,"a,c"'), 2, {}),
    "no column called tags": ("t.csv", table("id,things", "1,a;b", "2,b;c"), 2, {}),
    "no titles": ("t.csv", table("1,a;b", "2,b;c", "3,a;c"), 2, {}),
    "one tag a row": ("t.csv", table("id,artist,tag", "1,x,hot", "2,x,cold"), 3, {"COLUMN": "artist"}),
    "two places in JSON": (
        "t.json",
        json.dumps({kind: [{"id": n, "tags": ["a", "b"]} for n in range(3)] for kind in ("posts", "notes")}),
        2,
        {},
    ),
    "no tags in JSON": (
        "t.json",
        json.dumps({"data": {"items": [{"id": 1, "motifs": ["a", "b"]}, {"id": 2, "motifs": ["b"]}]}}),
        1,
        {"PLACE": "data.items", "FIELD": "motifs"},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_options_that_a_message_names_work(case, tmp_path):
    name, content, count, placeholders = CASES[case]
    path = tmp_path / name
    path.write_text(content)
    message = refusal(path)
    advice = pieces(message)
    print(message, advice)
    assert len(advice) == count
    for options in advice:
        taken = [placeholders.get(option, option) for option in options]
        if "COLUMN" in options and options[0] == "--tags":
            taken[1] = "things"
        result = init(path, *taken)
        assert result.exit_code == 0, (taken, result.stderr)


def test_a_folder_of_two_formats_names_patterns_that_work(tmp_path):
    folder = tmp_path / "exports"
    folder.mkdir()
    (folder / "a.csv").write_text("id,tags\n1,a;b\n2,b\n")
    (folder / "b.jsonl").write_text('{"id": 3, "tags": ["a"]}\n')
    message = refusal(folder)
    patterns = [word for word in shlex.split(message) if "*" in word]
    assert len(patterns) == 2
    for pattern in patterns:
        assert init(pattern).exit_code == 0


def test_an_archive_of_two_tables_works_when_unpacked(tmp_path):
    path = tmp_path / "two.zip"
    with zipfile.ZipFile(path, "w") as file:
        for name in ("a.csv", "b.csv"):
            file.writestr(name, "id,tags\n1,a;b\n2,b\n")
    assert "unpack it and name one of them, or the folder" in refusal(path)
    folder = tmp_path / "unpacked"
    with zipfile.ZipFile(path) as file:
        file.extractall(folder)
    assert init(folder / "a.csv").exit_code == 0
    assert init(folder).exit_code == 0


def test_a_compressed_file_works_under_the_name_that_the_message_asks_for(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(gzip.compress(b"id,tags\n1,a;b\n2,b\n"))
    assert "let its name end in .gz" in refusal(path)
    assert init(path.rename(tmp_path / "t.csv.gz")).exit_code == 0


def test_rows_above_the_titles_and_two_columns_of_one_name_are_what_the_messages_say(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("My export,\n,\nid,tags\n1,a;b\n2,b\n")
    number = int(re.search(r"row (\d+) seems to have the titles; delete the rows above it", refusal(path))[1])
    path.write_text("\n".join(path.read_text().splitlines()[number - 1 :]) + "\n")
    assert init(path).exit_code == 0
    path.write_text("id,tags,tags\n1,a;b,c\n2,b,c\n")
    assert "two columns are called tags; rename one of them" in refusal(path)
    path.write_text("id,tags,other\n1,a;b,c\n2,b,c\n")
    assert init(path).exit_code == 0


def test_a_protected_workbook_is_named_so_and_works_without_protection(tmp_path):
    path = tmp_path / "book.xlsx"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2000))
    message = refusal(path)
    assert "is protected by a password; save it without one" in message
    assert len(message.strip().splitlines()) == 1
    write_xlsx(path, [["id", "tags"], [1, "a;b"], [2, "b"]])
    assert init(path).exit_code == 0


def test_a_ragged_middle_stops_the_corpus_with_the_lines_and_writes_nothing(tmp_path):
    rows = [[n, f"Title {n}", "a;b"] for n in range(100)]
    rows[50:53] = [[50, "a", "b", "c;d"]] * 3
    path = tmp_path / "t.csv"
    path.write_text(table_text(["id", "title", "tags"], rows))
    result = CliRunner().invoke(cli, ["init", str(path), "--output", str(tmp_path / "corpora.toml")])
    assert result.exit_code == 1
    message = str(result.exception)
    assert len(message.splitlines()) == 1
    assert "3 of 100 lines are bad" in message
    assert "t.csv line 52: 4 columns where the header has 3" in message
    assert not (tmp_path / "corpora.toml").exists()


def test_an_encoding_that_changes_far_below_is_a_bad_line_with_its_number(tmp_path):
    lines = [f"{n},Käse;b" for n in range(200_000)]
    content = ("id,tags\n" + "\n".join(lines) + "\n").encode() + b"".join(b"x%d,K\xe4se;b\n" % n for n in range(9000))
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    message = refusal(path)
    assert "9000 of 209000 lines are bad" in message
    assert "t.csv line 200002: not UTF-8" in message


def test_extras_that_messages_name_exist():
    import tomllib

    extras = tomllib.loads(Path("pyproject.toml").read_text())["project"]["optional-dependencies"]
    found = subprocess.run(
        ["git", "grep", "-hoE", r"cotag\[[a-z,]+\]", "--", "worker", "cotag", "cocluster"],
        capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2],
    ).stdout  # fmt: skip
    named = {extra for match in re.findall(r"\[([a-z,]+)\]", found) for extra in match.split(",")}
    assert named
    assert named <= set(extras)
    everything = extras["all"][0]
    assert all(extra in everything for extra in ("excel", "xml", "encodings", "parquet", "plot"))
