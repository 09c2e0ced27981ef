"""A PostgreSQL server for tests. Where there is none the tests say so, and under CI they fail."""

import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

from tests.needs import missing

PASSWORD = "p@ss/word:1"  # noqa: S105 - of a server that lives as long as a test
ENCODED = "p%40ss%2Fword%3A1"


def binaries():
    """The folder of initdb and postgres, or None."""
    folders = [*sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]
    program = shutil.which("initdb")
    if program is not None:
        folders.append(Path(program).resolve().parent)
    return next((folder for folder in folders if (folder / "initdb").exists() and (folder / "postgres").exists()), None)


def required_binaries():
    folder = binaries()
    if folder is None:
        missing("postgresql (apt-get install postgresql)")
    return folder


class Postgres:
    """One server in a folder of its own, reached by a socket there."""

    def __init__(self, programs, folder):
        self.programs, self.folder = programs, folder
        # The server refuses to run as root.
        self.user = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}
        self.process = None

    def url(self, password=ENCODED, user="postgres"):
        return f"postgresql+psycopg://{user}:{password}@/postgres?host={self.folder}"

    def create(self):
        if self.user:
            shutil.chown(self.folder, "nobody", "nogroup")
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        self._run(
            "initdb",
            "-D",
            self.folder / "data",
            "-U",
            "postgres",
            "-A",
            "scram-sha-256",
            "-E",
            "UTF8",
            "-N",
            f"--pwfile={secret}",
        )

    def start(self):
        options = f"-c listen_addresses='' -c fsync=off -k {self.folder}"
        self._run("pg_ctl", "-D", self.folder / "data", "-l", self.folder / "log", "-w", "-o", options, "start")

    def stop(self):
        self._run("pg_ctl", "-D", self.folder / "data", "-m", "immediate", "-w", "stop")

    def _run(self, program, *arguments):
        subprocess.run(
            [self.programs / program, *arguments],
            check=True,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C", "LANG": "C"},
            **self.user,
        )


@contextmanager
def running_postgres():
    programs = required_binaries()
    with tempfile.TemporaryDirectory(prefix="cotag-postgres-", ignore_cleanup_errors=True) as name:
        server = Postgres(programs, Path(name))
        server.create()
        server.start()
        try:
            yield server
        finally:
            server.stop()
