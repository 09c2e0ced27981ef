"""From where pages may load images: what the settings say, or else what the documents of the served corpora have."""

from collections.abc import Sequence
from typing import Final

from service.live.snapshots import LiveSnapshots
from snapshot.version.documents.cards import image_origin

ANYWHERE: Final = ("http:", "https:")
"""For versions of releases that did not note the origins, until the next run."""

MOST_ORIGINS: Final = 100


class ImageOrigins:
    """They change with the served versions."""

    def __init__(self, declared: Sequence[str], live: LiveSnapshots) -> None:
        self._declared = tuple(declared)
        self._live = live
        self._edition = -1
        self._found: Sequence[str] = ()

    def __call__(self) -> Sequence[str]:
        """The origins, for a content security policy."""
        if self._declared:
            return self._declared
        if self._edition != self._live.edition:
            self._edition, self._found = self._live.edition, self._read()
        return self._found

    def _read(self) -> Sequence[str]:
        found: dict[str, None] = {}
        for view in self._live.views().values():
            origins = view.snapshot.parameters.get("image_origins")
            if not isinstance(origins, list):
                return ANYWHERE
            found |= dict.fromkeys(each for each in origins if isinstance(each, str) and image_origin(each) == each)
        return tuple(found)[:MOST_ORIGINS]
