"""A real store for tests, started and stopped at will."""

import shutil
import subprocess
from pathlib import Path

from cotag.launcher.store_server import server_binary, server_command, wait_for_store
from snapshot import connect
from tests.waiting import DEADLINE, wait_until


def wait_until_written(url):
    """While the disk is busy the store keeps writes back for a second or two; a kill in between would lose them."""
    with connect(url) as client:
        wait_until(lambda: client.info("persistence")["aof_buffer_length"] == 0, "what the store knows on disk")


class Server:
    """A real store of the kind that `cotag up` embeds; stopped and started again, it has its data."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.socket = self.folder / "store.sock"
        self.url = f"unix://{self.socket}"
        self.process = None

    def start(self):
        self.folder.mkdir(exist_ok=True)
        command = server_command(server_binary(), self.folder, self.socket)
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        wait_for_store(self.url, seconds=DEADLINE)
        return self

    def client(self, timeout=5.0):
        return connect(self.url, timeout=timeout)

    def written(self):
        """Wait until a kill forgets nothing."""
        wait_until_written(self.url)

    def stop(self):
        """With kill -9."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def empty(self):
        self.stop()
        shutil.rmtree(self.folder)
        self.start()
