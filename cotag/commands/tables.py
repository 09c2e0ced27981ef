"""Prints the results of commands: tables for people, JSON for programs."""

import shutil
import sys
from collections.abc import Sequence
from typing import Any, Final

import click
import orjson
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

PIPE_WIDTH: Final = 200
"""Columns of a table that is not printed to a terminal."""

GAP: Final = 2


def print_json(value: Any) -> None:
    """Print JSON, for programs."""
    click.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2))


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]], empty: str) -> None:
    """Print a table, for people; the line `empty` if it has no rows.

    A table that is wider than the terminal is printed row by row, with one line for each value.
    """
    if not rows:
        click.echo(empty)
        return
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else PIPE_WIDTH
    if table_width(headings, rows) > width:
        _print_rows(headings, rows)
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*row)
    Console(width=width).print(table)


def table_width(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """The columns of the terminal that a table needs."""
    columns = [max((cell_len(row[at]) for row in rows if at < len(row)), default=0) for at in range(len(headings))]
    widths = [max(cell_len(heading), column) for heading, column in zip(headings, columns, strict=True)]
    return sum(widths) + GAP * (len(widths) - 1)


def _print_rows(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    name_width = max(map(cell_len, headings))
    for number, row in enumerate(rows):
        if number:
            click.echo("")
        for heading, value in zip(headings, row, strict=False):
            if value:
                click.echo(f"{heading:<{name_width}}  {value}")
