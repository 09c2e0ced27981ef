"""A copy on disk of the last good declarations, for a start with a broken corpora file."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import orjson
import structlog
from pydantic import TypeAdapter, ValidationError

from worker.corpora.declaration import Corpus

NAME: Final = "declarations.json"
DECLARED: Final = TypeAdapter(dict[str, Corpus])

log = structlog.get_logger()


class LastDeclarations:
    """The last good declarations of one corpora file. Only its user may read them: they may hold passwords."""

    def __init__(self, corpora_file: Path, folder: Path | None) -> None:
        self._corpora_file = str(corpora_file.resolve())
        self._folder = folder

    def write(self, corpora: Mapping[str, Corpus]) -> None:
        """Replace the copy. If the disk is full or read-only, log a warning."""
        if self._folder is None:
            return
        content = {"file": self._corpora_file, "corpora": DECLARED.dump_python(dict(corpora), mode="json")}
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self._folder, prefix=".", delete=False) as file:
                file.write(orjson.dumps(content))
            Path(file.name).replace(self._folder / NAME)
        except OSError as error:
            log.warning("cannot write the copy of the declarations", reason=str(error))

    def read(self) -> dict[str, Corpus]:
        """The declarations as they were written; none if there is no copy of this file, or it makes no sense."""
        if self._folder is None:
            return {}
        try:
            content = orjson.loads((self._folder / NAME).read_bytes())
            return DECLARED.validate_python(content["corpora"]) if content["file"] == self._corpora_file else {}
        except FileNotFoundError:
            return {}
        except (OSError, orjson.JSONDecodeError, ValidationError, KeyError, TypeError) as error:
            log.warning("the copy of the declarations cannot be read", reason=str(error))
            return {}
