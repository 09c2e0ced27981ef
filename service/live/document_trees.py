"""Reads trees of documents from the store: a few at once, none too large, and no request waits for another."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from service.errors import Busy, OutOfRange
from service.view.view import View
from snapshot import DocumentTree, SnapshotStore

AT_ONCE: Final = 1
"""Trees that one process reads and turns into answers at the same time; it refuses more. One fewer than the threads
that wait for the store, so that a tree never holds up a write."""

MOST_BYTES: Final = 100_000_000
"""The largest part of documents that is read, as stored; about twenty million documents."""


class DocumentTrees:
    """The trees of documents, which are only in the store, because they grow with the documents."""

    def __init__(self, store: SnapshotStore) -> None:
        self._store = store
        self._slots = threading.BoundedSemaphore(AT_ONCE)

    @contextmanager
    def read(self, view: View) -> Iterator[DocumentTree]:
        """The tree of documents of a snapshot, for as long as an answer is made of it.

        Raises:
            Busy: other requests do the same already.
            OutOfRange: it is too large.
            StoreUnavailable: the store is away.
        """
        if not self._slots.acquire(blocking=False):
            raise Busy(f"this process reads as many trees of documents already as it does at once ({AT_ONCE})")
        try:
            corpus, version = view.snapshot.corpus, view.snapshot.version
            size = self._store.documents_bytes(corpus, version)
            if size > MOST_BYTES:
                raise OutOfRange(
                    f"side: the documents of {corpus} take {size:,} bytes in the store; the service reads at most"
                    f" {MOST_BYTES:,} for a tree"
                )
            yield self._store.document_tree(corpus, version)
        finally:
            self._slots.release()
