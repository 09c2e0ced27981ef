"""The command line: help, files clustered without a store, mistakes in one line."""

import json
import os
import socket
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from cotag.cli import cli
from cotag.commands.operation import PROPOSAL_KINDS, SNAPSHOT_ACTIONS
from cotag.commands.snapshots import EXPECTED
from runtime.settings import without_password
from snapshot import PROPOSAL_KINDS as KINDS
from tests.conftest import topic_documents, write_jsonl
from tests.corpora import read_corpora
from tests.forking import forks
from tests.own_tables import DOCUMENTS, TABLES, semicolons, sqlite
from tests.waiting import DEADLINE


def surroundings(**environment):
    return {**{name: value for name, value in os.environ.items() if not name.startswith("COTAG_")}, **environment}


@pytest.fixture(scope="module")
def cotag():
    """The command line, in a fork of a process that has imported it."""
    with forks() as forked:
        code = "from cotag.cli import main; main()"
        yield lambda *arguments, **environment: forked.run(code, arguments, surroundings(**environment))


def fresh_cotag(*arguments, **environment):
    """The command line as users start it."""
    return subprocess.run(
        [sys.executable, "-m", "cotag", *arguments],
        env=surroundings(**environment),
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )


def refused(result):
    """One clear line, an exit code, no stack trace."""
    assert result.returncode == 1
    assert "Traceback" not in result.stdout + result.stderr
    *before, line = result.stderr.splitlines()
    assert line.startswith("cotag: ")
    assert not any(line.startswith("cotag: ") for line in before)
    return line


HEAVY = {"numpy", "redis", "pydantic", "orjson", "rich", "structlog", "scipy", "numba", "flask", "sqlalchemy"}


@pytest.mark.parametrize("arguments", [["--help"], *([name, "--help"] for name in cli.commands), ["--version"]])
def test_help_loads_none_of_the_large_packages(arguments):
    """What a command needs is imported when it runs: help is there before numpy would be."""
    ask = "import sys; from cotag.cli import cli; cli(sys.argv[1:], standalone_mode=False); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", ask, *arguments], capture_output=True, text=True, timeout=DEADLINE, check=True
    )
    assert not HEAVY & set(done.stdout.splitlines()[-1].split())


def test_choices_that_help_lists_are_those_of_the_commands():
    """They are written down twice so that help needs not import the snapshot."""
    assert tuple(EXPECTED) == SNAPSHOT_ACTIONS
    assert KINDS == PROPOSAL_KINDS


def test_help_explains_every_command(cotag):
    text = fresh_cotag("--help").stdout
    for command in ("up", "worker", "scheduler", "serve", "cluster"):
        assert f"  {command} " in text
        assert cotag(command, "--help").returncode == 0


@pytest.mark.slow
def test_a_file_is_clustered_without_any_store(cotag, tmp_path):
    file = write_jsonl(tmp_path / "topics.jsonl", topic_documents())
    result = fresh_cotag("cluster", str(file), COTAG_REDIS_URL="redis://127.0.0.1:1/0")
    assert result.returncode == 0, result.stderr
    assert "200 documents, 32 tags, 4 groups of tags" in result.stdout
    groups = json.loads(cotag("cluster", str(file), "--json").stdout)
    assert sum(len(group["tags"]) for group in groups) == 32


@pytest.mark.slow
def test_a_file_whose_groups_mean_nothing_is_told_apart_from_the_result(cotag, tmp_path):
    """Two of twelve tags at random: there is nothing to find."""
    random = np.random.default_rng(0)
    drawn = ([f"tag{tag}" for tag in random.choice(12, 2, replace=False)] for _ in range(300))
    file = write_jsonl(tmp_path / "noise.jsonl", ({"id": str(n), "tags": tags} for n, tags in enumerate(drawn)))
    result = cotag("cluster", str(file), "--json")
    assert "These concepts mean little" in result.stderr
    assert json.loads(result.stdout)
    assert "mean little" not in cotag("cluster", str(file), "-k", "3").stderr


def test_a_file_is_clustered_into_exactly_k_groups_and_its_tree_is_drawn(cotag, tmp_path):
    file = write_jsonl(tmp_path / "topics.jsonl", topic_documents())
    for name, begins in (("tree.svg", b"<svg"), ("tree.newick", b"("), ("tree.json", b"{")):
        result = cotag("cluster", str(file), "-k", "7", "--dendrogram", str(tmp_path / name))
        assert result.returncode == 0, result.stderr
        assert "7 groups of tags" in result.stdout
        assert (tmp_path / name).read_bytes().startswith(begins)
    assert "between 1 and 32" in refused(cotag("cluster", str(file), "-k", "33"))
    assert "ends in .svg" in refused(cotag("cluster", str(file), "--dendrogram", "tree.gif"))


@pytest.mark.slow
def test_the_tree_is_drawn_as_png_where_matplotlib_is_installed(cotag, tmp_path):
    file = write_jsonl(tmp_path / "topics.jsonl", topic_documents())
    result = cotag("cluster", str(file), "--dendrogram", str(tmp_path / "tree.png"))
    if find_spec("matplotlib") is None:
        assert "pip install 'cotag[plot]'" in result.stderr
    else:
        assert (tmp_path / "tree.png").read_bytes().startswith(b"\x89PNG")


def test_a_file_that_is_missing_or_broken_is_told_in_one_line(cotag, tmp_path):
    assert "nothing.jsonl is not a file" in refused(cotag("cluster", str(tmp_path / "nothing.jsonl")))
    (tmp_path / "broken.jsonl").write_text('{"id": 1, "tags": ["a"]}\n' + "oops\n" * 19)
    assert "19 of 20 lines are bad" in refused(cotag("cluster", str(tmp_path / "broken.jsonl")))


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("COTAG_PORT", "many", "COTAG_PORT='many': Input should be a valid integer"),
        ("COTAG_REDIS_URL", "http://x", "COTAG_REDIS_URL: this is no URL such as redis://"),
        ("COTAG_LOG_FORMAT", "xml", "COTAG_LOG_FORMAT='xml': Input should be 'console' or 'json'"),
    ],
)
def test_a_setting_that_makes_no_sense_is_named(cotag, variable, value, message):
    assert message in refused(cotag("serve", **{variable: value}))


@pytest.mark.slow
def test_up_refuses_a_port_that_is_taken(cotag, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        line = refused(cotag("up", COTAG_PORT=str(port), COTAG_DATA_DIR=str(tmp_path)))
    assert f"cannot listen on 127.0.0.1 port {port}: Address already in use" in line


@pytest.mark.slow
def test_up_refuses_a_data_directory_it_cannot_write_to(cotag, tmp_path):
    (tmp_path / "file").touch()
    line = refused(cotag("up", COTAG_DATA_DIR=str(tmp_path / "file" / "data")))
    assert "COTAG_DATA_DIR=" in line
    assert "cannot be written to" in line


@pytest.mark.slow
def test_up_refuses_a_broken_corpora_file(cotag, tmp_path):
    (tmp_path / "corpora.toml").write_text("[corpora.one\n")
    line = refused(cotag("up", COTAG_CORPORA=str(tmp_path / "corpora.toml"), COTAG_DATA_DIR=str(tmp_path)))
    assert "corpora.toml" in line


@pytest.mark.slow
def test_up_refuses_a_store_that_does_not_answer(cotag, tmp_path):
    line = refused(cotag("up", COTAG_REDIS_URL="redis://127.0.0.1:1/0", COTAG_DATA_DIR=str(tmp_path), COTAG_PORT="0"))
    assert "the store at redis://127.0.0.1:1/0 does not answer" in line


def test_a_part_that_is_not_installed_is_named(monkeypatch, capsys):
    from cotag import cli

    def absent(**_):
        raise ModuleNotFoundError("No module named 'flask'", name="flask")

    monkeypatch.setattr(cli, "cli", absent)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 1
    assert "pip install 'cotag[service]'" in capsys.readouterr().err


STORE_COMMANDS = [("corpora",), ("jobs",), ("jobs", "--cancel", "x"), ("recluster", "x"), ("snapshots", "x"), ("ping",)]


@pytest.mark.parametrize("command", STORE_COMMANDS, ids=" ".join)
def test_a_command_without_a_store_says_how_to_reach_one(cotag, tmp_path, command):
    line = refused(cotag(*command, COTAG_DATA_DIR=str(tmp_path), COTAG_REDIS_URL="redis://127.0.0.1:1/0"))
    assert "COTAG_REDIS_URL" in line
    assert "127.0.0.1:1" in line


def test_no_message_shows_the_password_of_the_store():
    assert without_password("redis://me:secret@host:6379/0") == "redis://***@host:6379/0"
    assert without_password("unix:///a/b@c.sock") == "unix:///a/b@c.sock"


def test_without_settings_the_hint_names_the_data_directory(cotag, tmp_path):
    (tmp_path / "store.sock").touch()
    line = refused(cotag("jobs", COTAG_DATA_DIR=str(tmp_path)))
    assert f"no cotag up is running on {tmp_path}: start one (cotag up)" in line


def test_every_command_has_json():
    """Except the one that speaks a protocol on standard output."""
    silent = [name for name, command in cli.commands.items() if not any("--json" in p.opts for p in command.params)]
    assert silent == ["mcp"]


@pytest.mark.parametrize("table", TABLES)
def test_each_of_the_seven_tables_is_clustered_with_one_command(cotag, tmp_path, table):
    write, options = TABLES[table]
    result = cotag("cluster", str(write(tmp_path)), *options)
    assert result.returncode == 0, result.stderr
    assert f"{DOCUMENTS} documents, 32 tags" in result.stdout
    understood, left = result.stderr.splitlines()[:2]
    assert "tags from" in understood
    assert left == f"{DOCUMENTS} documents and 32 tags are clustered; left out: nothing"


def test_init_writes_a_corpora_file_that_works_and_never_overwrites(cotag, tmp_path):
    songs, photos = semicolons(tmp_path), sqlite(tmp_path)
    file = tmp_path / "corpora.toml"
    query = ("--query", "select photo_id, tag from photo_tag")
    result = cotag("init", str(songs), "--output", str(file))
    assert result.returncode == 0, result.stderr
    assert list(read_corpora(file)) == ["songs"]
    assert f"serve it: COTAG_CORPORA={file} cotag up" in result.stderr
    assert f"{file} exists" in refused(cotag("init", str(songs), "--output", str(file)))
    written = cotag("init", str(photos), *query, "--output", "-")
    file.write_text(written.stdout)
    assert read_corpora(file)["photos"].document_source.layout == "pairs"
    (understood,) = json.loads(cotag("init", str(songs), "--output", str(tmp_path / "n.toml"), "--json").stdout)[
        "understood"
    ]
    assert (understood["name"], understood["clustered_tags"]) == ("songs", 32)


def test_init_lowers_min_count_if_too_little_would_remain(cotag, tmp_path):
    file = tmp_path / "few.csv"
    file.write_text("id,tags\n" + "".join(f"{n},a{n % 12};b{n % 11}\n" for n in range(36)))
    assert cotag("init", str(file), "--output", str(tmp_path / "c.toml")).returncode == 0
    assert read_corpora(tmp_path / "c.toml")["few"].min_count == 3


def test_files_beside_a_corpora_file_equal_names_and_options_without_a_file_are_refused(cotag, tmp_path):
    songs = str(semicolons(tmp_path))
    assert "so cotag up takes no files" in refused(cotag("up", songs, COTAG_CORPORA="corpora.toml"))
    assert "would both be called songs" in refused(cotag("up", songs, songs))
    assert "these options describe a file" in refused(cotag("up", "--tags", "x"))
    assert "is not a file" in refused(cotag("up", str(tmp_path / "missing.csv")))


def test_all_faults_of_a_corpora_file_are_printed(cotag, tmp_path):
    (tmp_path / "corpora.toml").write_text("[corpora.one]\nsourc = 'x'\nkep = 3\n")
    result = cotag("up", COTAG_CORPORA=str(tmp_path / "corpora.toml"), COTAG_DATA_DIR=str(tmp_path / "data"))
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    for fault in ("sourc: unknown key; did you mean source?", "kep: unknown key; did you mean keep?"):
        assert fault in result.stderr
