"""Copies everything that Cotag has in a store to a file (`back_up`), checks such a file, and restores it."""

from snapshot.store.backup.file import BackupError, Contents, verify
from snapshot.store.backup.restoring import restore
from snapshot.store.backup.writing import back_up

__all__ = ["BackupError", "Contents", "back_up", "restore", "verify"]
