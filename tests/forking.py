"""A process that has imported the worker once. A fork of it runs a task as a fresh process would, without the imports.

It begins no threads, so that it may fork. Run as a program it reads one task a line, and prints how each ended.
"""

import json
import os
import subprocess
import sys
import tempfile
import traceback
from contextlib import contextmanager
from pathlib import Path
from subprocess import CompletedProcess

ROOT = Path(__file__).parents[1]


class Forks:
    """Runs code, each time in a fork of the same process."""

    def __init__(self, process, folder):
        self._process = process
        self._folder = folder

    def run(self, code, arguments=(), environment=None):
        """Run code to its end; negative exit codes are signals."""
        outputs = [self._folder / name for name in ("stdout", "stderr")]
        task = {
            "code": code,
            "arguments": ["python", *arguments],
            "environment": dict(os.environ) if environment is None else environment,
            "outputs": [str(path) for path in outputs],
        }
        self._process.stdin.write(json.dumps(task) + "\n")
        self._process.stdin.flush()
        ended = json.loads(self._process.stdout.readline())
        return CompletedProcess(arguments, ended, *(path.read_text() for path in outputs))


@contextmanager
def forks():
    """Such a process."""
    with (
        tempfile.TemporaryDirectory(prefix="cotag-forks-") as folder,
        subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        ) as process,
    ):
        yield Forks(process, Path(folder))
        process.stdin.close()


def run_forked(task):
    """Run a task in this process, a fork, as if it was the program; never returns."""
    for descriptor, path in zip((1, 2), task["outputs"], strict=True):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
    os.environ.clear()
    os.environ.update(task["environment"])
    sys.argv[:] = task["arguments"]
    code = 0
    try:
        exec(task["code"], {"__name__": "__main__"})  # noqa: S102 - code of the tests
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else bool(ended.code)
    except BaseException:  # noqa: BLE001 - as Python itself does
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def main():
    import worker.runs.job  # noqa: F401

    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            run_forked(json.loads(line))
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
