"""Errors of reading and publishing snapshots."""


class SnapshotError(Exception):
    """A snapshot cannot be read or published."""


class StoreUnavailable(SnapshotError):
    """Redis does not answer. Transient: trying again later may work."""


class WrongType(StoreUnavailable):
    """A key has a value of another type than Cotag writes. Readers that can do without it treat it as damaged."""


class NoSuchVersion(SnapshotError):
    """The store holds no such version of this corpus."""


class SnapshotCorrupt(SnapshotError):
    """The bytes in the store differ from those published."""


class SchemaMismatch(SnapshotError):
    """A newer Cotag, with a schema that this one does not know, wrote the snapshot."""


class PublishRefused(SnapshotError):
    """The version is not newer than the stored ones, or parts of it are missing in the store."""


class AnotherPinned(PublishRefused):
    """Another version is pinned, so this one cannot be made current."""
