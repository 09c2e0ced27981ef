"""Compiles the kernels ahead of time, those of the clustering beside those of the suggestions."""

import multiprocessing
import time
from collections.abc import Callable
from typing import Final

import click

PARTS: Final = {"suggestions": "warm_suggestions", "clustering": "warm_clustering"}
"""Functions of cocluster.compilation, by what they compile; no kernel is in two of them."""


def compile_part(name: str) -> None:
    """Compile the kernels of one part."""
    from cocluster import compilation  # noqa: PLC0415 - in its own process

    getattr(compilation, PARTS[name])()


def compile_kernels(say: Callable[[str], None]) -> None:
    """Compile all parts at the same time, each in a process of its own, and say when each is done."""
    began = time.monotonic()
    context = multiprocessing.get_context("spawn")
    running = {name: context.Process(target=compile_part, args=(name,)) for name in PARTS}
    for process in running.values():
        process.start()
    for name, process in running.items():
        process.join()
        if process.exitcode:
            raise click.ClickException(f"compiling the kernels of the {name} failed")
        say(f"  {name}: compiled after {time.monotonic() - began:.0f} s")
