"""All exports by name: importing the modules that write them puts them there."""

from tests.exports import databases, folders, json_files, markup, programs, references, tables  # noqa: F401
from tests.exports.documents import EXPORTS

__all__ = ["EXPORTS"]
