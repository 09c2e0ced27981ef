"""Where blocks of documents are worked on."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, Protocol

from joblib import Parallel, delayed


class Blocks(Protocol):
    """What stands for blocks where tasks run."""

    def __len__(self) -> int: ...


class Tasks(Protocol):
    """Where blocks of documents are worked on. The blocks are always the same, so the result never depends on it."""

    def place(self, blocks: Sequence[Any]) -> Blocks:
        """Bring the blocks to where tasks run, once; what is returned stands for them in `each`."""

    def each(self, function: Callable[..., Any], placed: Any, common: Any) -> Iterator[Any]:
        """function(block, common) for every block, in the order of the blocks; `common` travels once."""


class LocalTasks:
    """Threads or processes of this machine, by joblib; all processors unless `jobs` says how many."""

    def __init__(self, jobs: int = -1, kind: Literal["threads", "processes"] = "threads") -> None:
        self.jobs = jobs
        self.kind = kind

    def place(self, blocks: Sequence[Any]) -> Sequence[Any]:
        """Threads have them already; joblib maps large arrays into the memory of processes."""
        return blocks

    def each(self, function: Callable[..., Any], placed: Sequence[Any], common: Any) -> Iterator[Any]:
        """function(block, common) for every block, in order."""
        parallel = Parallel(
            n_jobs=self.jobs,
            backend="threading" if self.kind == "threads" else "loky",
            return_as="generator",
            pre_dispatch="2*n_jobs",
        )
        yield from parallel(delayed(function)(block, common) for block in placed)
