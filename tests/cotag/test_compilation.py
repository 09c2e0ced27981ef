"""`cotag warm` compiles all kernels in parts."""

import inspect

import click
import pytest

from cocluster import compilation as warming
from cotag import compilation as compiling


def test_the_parts_are_all_that_warm_does():
    called = [line.strip() for line in inspect.getsource(warming.warm).splitlines() if line.strip().endswith("()")]
    assert sorted(called) == sorted(f"{function}()" for function in compiling.PARTS.values())


class Stub:
    """A process that ends at once."""

    def __init__(self, *, target, args):  # noqa: ARG002 - as multiprocessing.Process
        self.exitcode = 1 if args == ("clustering",) else 0

    def start(self):
        """Do nothing."""

    def join(self):
        """Do nothing."""


def test_a_part_that_fails_is_named(monkeypatch):
    class Context:
        Process = Stub

    monkeypatch.setattr(compiling.multiprocessing, "get_context", lambda _: Context)
    said = []
    with pytest.raises(click.ClickException, match="the clustering failed"):
        compiling.compile_kernels(said.append)
    assert [line.split(":")[0].strip() for line in said] == ["suggestions"]
