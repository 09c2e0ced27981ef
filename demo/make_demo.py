"""Makes the files of the demo corpus from the npm package @tabler/icons: python demo/make_demo.py

Writes tabler_icons.jsonl.gz, one document per icon; tabler_icons.svg.gz, the shape of every icon; and the package's
licence. Needs npm. The version is pinned, so the files come out the same to the byte.
"""

import gzip
import io
import json
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Any

PACKAGE = "@tabler/icons@3.51.0"
HERE = Path(__file__).parent


def main() -> None:
    """Fetch the package and write the files beside this one."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["npm", "pack", "--silent", "--pack-destination", folder, PACKAGE], check=True)
        (archive,) = Path(folder).glob("*.tgz")
        with tarfile.open(archive) as package:
            icons = json.loads(member(package, "package/icons.json"))
            shapes = json.loads(member(package, "package/tabler-nodes-outline.json"))
            licence = member(package, "package/LICENSE")
    documents = [document(name, icon) for name, icon in icons.items()]
    write("tabler_icons.jsonl.gz", [json.dumps(each) for each in documents])
    write("tabler_icons.svg.gz", [f"{name} {elements(shapes[name])}" for name in icons])
    (HERE / "LICENSE.tabler-icons").write_bytes(licence)
    print(f"{len(documents)} documents")


def document(name: str, icon: dict[str, Any]) -> dict[str, Any]:
    """The document of one icon; demo/corpora.toml declares its fields."""
    words = name.replace("-", " ")
    return {
        "id": name,
        "tags": [str(tag) for tag in icon["tags"]],
        "label": icon["category"],
        "title": words[0].upper() + words[1:],
        "icon": f"{name}.svg",
    }


def elements(nodes: list[tuple[str, dict[str, str]]]) -> str:
    """The elements of an icon as SVG; demo/__init__.py puts them into a drawing."""
    parts = []
    for kind, attributes in nodes:
        written = "".join(f' {key}="{value}"' for key, value in sorted(attributes.items()))
        parts.append(f"<{kind}{written}/>")
    return "".join(parts)


def write(name: str, lines: list[str]) -> None:
    """Write lines as a compressed file that is always the same."""
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", compresslevel=9, mtime=0, filename="") as stream:
        stream.write("".join(line + "\n" for line in lines).encode())
    (HERE / name).write_bytes(buffer.getvalue())


def member(package: tarfile.TarFile, name: str) -> bytes:
    """The content of one file of the archive."""
    stream = package.extractfile(name)
    if stream is None:
        raise SystemExit(f"{PACKAGE} has no {name}")
    return stream.read()


if __name__ == "__main__":
    main()
