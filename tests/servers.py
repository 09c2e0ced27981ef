import shutil
import subprocess
from pathlib import Path

from cotag.store import server_binary, server_command, wait_for_store
from snapshot import connect


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
        wait_for_store(self.url)
        return self

    def client(self, timeout=5.0):
        return connect(self.url, timeout=timeout)

    def stop(self):
        """With kill -9."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def empty(self):
        self.stop()
        shutil.rmtree(self.folder)
        self.start()
