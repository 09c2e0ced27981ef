"""Makes tabler_icons.jsonl.gz from the npm package @tabler/icons: python demo/make_demo.py

Needs npm. The version is pinned, so the file comes out the same to the byte.
"""

import gzip
import io
import json
import subprocess
import tarfile
import tempfile
from pathlib import Path

PACKAGE = "@tabler/icons@3.51.0"
HERE = Path(__file__).parent


def main() -> None:
    """Fetch the package, write one document per icon and the package's licence beside them."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["npm", "pack", "--silent", "--pack-destination", folder, PACKAGE], check=True)
        (archive,) = Path(folder).glob("*.tgz")
        with tarfile.open(archive) as package:
            icons = json.loads(member(package, "package/icons.json"))
            licence = member(package, "package/LICENSE")
    lines = [
        json.dumps({"id": name, "tags": [str(tag) for tag in icon["tags"]], "label": icon["category"]})
        for name, icon in icons.items()
    ]
    text = "".join(line + "\n" for line in lines).encode()
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", compresslevel=9, mtime=0, filename="") as stream:
        stream.write(text)
    (HERE / "tabler_icons.jsonl.gz").write_bytes(buffer.getvalue())
    (HERE / "LICENSE.tabler-icons").write_bytes(licence)
    print(f"{len(lines)} documents")


def member(package: tarfile.TarFile, name: str) -> bytes:
    """The content of one file of the archive."""
    stream = package.extractfile(name)
    if stream is None:
        raise SystemExit(f"{PACKAGE} has no {name}")
    return stream.read()


if __name__ == "__main__":
    main()
