from collections.abc import Iterator
from contextlib import contextmanager

from rq.timeouts import JobTimeoutException

from worker.errors import TookTooLong


@contextmanager
def time_limited(limit: str) -> Iterator[None]:
    """JobTimeoutException, which RQ's signal raises anywhere, -> TookTooLong.

    Where the signal meets numba on its way into or out of a kernel, it arrives as a SystemError about it.
    """
    try:
        yield
    except (JobTimeoutException, SystemError) as error:
        if isinstance(_behind(error), JobTimeoutException):
            raise TookTooLong(f"stopped because it took longer than its time_limit of {limit}") from error
        raise


def _behind(error: BaseException) -> BaseException:
    while isinstance(error, SystemError) and error.__cause__ is not None:
        error = error.__cause__
    return error
