"""TLS for tests: a certificate of their own, and a proxy for servers that were built without TLS."""

import shutil
import socket
import ssl
import subprocess
import threading
from contextlib import contextmanager, suppress

from tests.needs import missing


def certificate(folder):
    """Files with a certificate for 127.0.0.1, which signs itself, and its key."""
    openssl = shutil.which("openssl")
    if openssl is None:
        missing("openssl (apt-get install openssl)")
    files = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        [
            *(openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"),
            *("-addext", "subjectAltName=IP:127.0.0.1", "-out", files[0], "-keyout", files[1]),
        ],
        check=True,
        capture_output=True,
    )
    return files


@contextmanager
def tls_proxy(files, socket_path):
    """A port that speaks TLS and passes everything to a Unix socket."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*files)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=_accept, args=(listening, context, socket_path), daemon=True).start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)


def _accept(listening, context, socket_path):
    with suppress(OSError):
        while True:
            connection, _ = listening.accept()
            threading.Thread(target=_connect, args=(connection, context, socket_path), daemon=True).start()


def _connect(connection, context, socket_path):
    """Pass bytes both ways with one thread each until either side ends."""
    with (
        suppress(OSError),
        connection,
        context.wrap_socket(connection, server_side=True) as client,
        socket.socket(socket.AF_UNIX) as behind,
    ):
        behind.connect(str(socket_path))
        answering = threading.Thread(target=_pass_on, args=(behind, client), daemon=True)
        answering.start()
        _pass_on(client, behind)
        answering.join()


def _pass_on(source, target):
    with suppress(OSError, ValueError):
        while data := source.recv(65536):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)
