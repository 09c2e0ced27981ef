"""Tables of commands: as columns where they fit, otherwise one value a line."""

import os
import re
import sys

import pytest

from cotag.commands.tables import print_table, table_width

HEADINGS = ["corpus", "version", "last run"]
ROWS = [["recipes", "20261118T012137.321Z", "done"], ["songs", "", "never"]]


@pytest.fixture
def terminal(monkeypatch):
    """Standard output as a terminal of some width."""

    def narrow(columns):
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
        monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((columns, 24)))

    return narrow


@pytest.mark.parametrize("columns", [20, 30, 36, 37, 80])
def test_no_word_is_broken_whatever_the_width(terminal, capsys, columns):
    terminal(columns)
    print_table(HEADINGS, ROWS, "none")
    output = re.sub(r"\x1b\[\d*m", "", capsys.readouterr().out)
    assert {"recipes", "20261118T012137.321Z", "never"} <= set(output.split())
    as_columns = output.splitlines()[0].split() == ["corpus", "version", "last", "run"]
    assert as_columns == (columns >= table_width(HEADINGS, ROWS))


def test_a_narrow_terminal_gets_one_value_a_line_with_its_heading(terminal, capsys):
    terminal(30)
    print_table(HEADINGS, ROWS, "none")
    assert capsys.readouterr().out.splitlines() == [
        "corpus    recipes",
        "version   20261118T012137.321Z",
        "last run  done",
        "",
        "corpus    songs",
        "last run  never",
    ]


def test_an_empty_table_is_a_sentence(capsys):
    print_table(HEADINGS, [], "no corpora")
    assert capsys.readouterr().out == "no corpora\n"
