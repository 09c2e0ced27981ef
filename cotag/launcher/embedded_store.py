"""The embedded store as a part of `cotag up`: opened at start, repaired when its files are damaged."""

import os
from pathlib import Path
from typing import Final

from cotag.errors import StartError
from cotag.launcher.output import Output
from cotag.launcher.salvage import repair
from cotag.launcher.store_server import LOG, START_SECONDS, server_binary, server_command, wait_for_store
from cotag.launcher.supervision import SupervisedPart, Supervisor

REFUSED: Final = 1
"""The exit code of a server that does not accept its files."""


class EmbeddedStore:
    """A server of our own, with its data in a folder."""

    def __init__(self, folder: Path, socket: Path, supervisor: Supervisor, output: Output) -> None:
        self._folder = folder
        self._binary = server_binary()
        self._supervisor = supervisor
        self._output = output
        self._url = f"unix://{socket}"
        environment = {name: value for name, value in os.environ.items() if not name.startswith("COTAG_")}
        command = server_command(self._binary, folder, socket)
        self.part = SupervisedPart("store", command, environment, on_end=self._repair_if_refused)
        self.repaired = False
        """Whether its files were damaged, so that every corpus has to run."""

    def open(self, seconds: float = START_SECONDS) -> None:
        """Start the server unless it runs, and wait until it answers; damaged files are repaired once."""
        self._folder.mkdir(exist_ok=True)
        try:
            self._open(seconds)
        except StartError:
            if not self.repaired:
                raise
            self._open(seconds)

    def _open(self, seconds: float) -> None:
        child = self.part.child or self._supervisor.start(self.part)
        try:
            wait_for_store(self._url, seconds=seconds, give_up=child.ended)
        except StartError as error:
            if child.ended():
                child.end(0.0)
                self.part.child = None
                self._repair_if_refused(child.exit_code)
            raise StartError(f"{error}; its log is {self._folder / LOG}") from error

    def _repair_if_refused(self, exit_code: int | None) -> None:
        if exit_code != REFUSED:
            return
        try:
            outcome = repair(self._binary, self._folder)
        except OSError as error:
            self._output.say(f"cannot repair the store: {error}", "error")
            return
        if outcome is not None:
            self._output.say(str(outcome), "error")
            self.repaired = True
