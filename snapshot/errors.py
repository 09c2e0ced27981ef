"""What can go wrong with snapshots and their store."""


class SnapshotError(Exception):
    """Any reason why a snapshot cannot be read or published."""


class StoreUnavailable(SnapshotError):
    """Redis does not answer. Transient: trying again later may work."""


class NoSuchVersion(SnapshotError):
    """The store holds no such version of this corpus."""


class SnapshotCorrupt(SnapshotError):
    """The bytes in the store are not those that were published."""


class SchemaMismatch(SnapshotError):
    """Written by a Cotag with another schema. The next run writes one that can be read."""


class PublishRefused(SnapshotError):
    """Publishing would go back in time, or the snapshot is incomplete in the store."""
