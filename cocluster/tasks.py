"""Runs a function over blocks of documents, in threads or processes."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, Protocol

from joblib import Parallel, delayed


class Blocks(Protocol):
    """A handle to blocks that are where the tasks run."""

    def __len__(self) -> int: ...


class Tasks(Protocol):
    """Runs a function over blocks of documents. The blocks are always the same, so where it runs changes no result."""

    def place(self, blocks: Sequence[Any]) -> Blocks:
        """Bring the blocks to where tasks run, once; returns a handle to them for `each`."""

    def each(self, function: Callable[..., Any], blocks: Any, common: Any) -> Iterator[Any]:
        """function(block, common) for every block, in the order of the blocks; `common` is sent once."""


class LocalTasks:
    """Threads or processes of this machine, by joblib; `jobs` of them, or one a processor."""

    def __init__(self, jobs: int = -1, kind: Literal["threads", "processes"] = "threads") -> None:
        self.jobs = jobs
        self.kind = kind

    def place(self, blocks: Sequence[Any]) -> Sequence[Any]:
        """Threads have them already; joblib maps large arrays into the memory of processes."""
        return blocks

    def each(self, function: Callable[..., Any], blocks: Sequence[Any], common: Any) -> Iterator[Any]:
        """function(block, common) for every block, in order."""
        parallel = Parallel(
            n_jobs=self.jobs,
            backend="threading" if self.kind == "threads" else "loky",
            return_as="generator",
            pre_dispatch="2*n_jobs",
        )
        yield from parallel(delayed(function)(block, common) for block in blocks)
