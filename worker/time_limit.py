"""Translates RQ's timeout into TookTooLong."""

from collections.abc import Iterator
from contextlib import contextmanager

from rq.timeouts import JobTimeoutException

from worker.errors import TookTooLong


@contextmanager
def time_limited(limit: str) -> Iterator[None]:
    """JobTimeoutException, which RQ's signal handler raises anywhere, -> TookTooLong.

    At the edge of a kernel, numba turns the exception into a SystemError that has it as its cause.
    """
    try:
        yield
    except (JobTimeoutException, SystemError) as error:
        if isinstance(_root_cause(error), JobTimeoutException):
            raise TookTooLong(f"stopped because it took longer than its time_limit of {limit}") from error
        raise


def _root_cause(error: BaseException) -> BaseException:
    while isinstance(error, SystemError) and error.__cause__ is not None:
        error = error.__cause__
    return error
