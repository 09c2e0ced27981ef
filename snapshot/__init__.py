"""The contract between worker and service: what a snapshot holds, how it is encoded, where it lives in Redis.

`schema` says what it holds, `codec` how it becomes bytes, `store` publishes and reads it whole or not at all,
`status` tells how a run is getting on. docs/reference/redis.md lists every key, for programs that read Redis directly.
"""

from snapshot.codec import Encoded, decode, decode_document_tree, decode_documents, encode
from snapshot.declared import Declared, Register
from snapshot.errors import (
    NoSuchVersion,
    PublishRefused,
    SchemaTooNew,
    SnapshotCorrupt,
    SnapshotError,
    StoreUnavailable,
)
from snapshot.placing import Placed, nearest, posteriors
from snapshot.pushed import PushedDocuments
from snapshot.schema import (
    SCHEMA,
    Cluster,
    Curve,
    Documents,
    DocumentTree,
    Picture,
    Placing,
    Related,
    Snapshot,
    version_at,
)
from snapshot.settings import SettingsError, StoreSettings, read_settings
from snapshot.spelling import normalise
from snapshot.status import ENDED, STAGES, STAGES_OF_SOME, RunRequest, RunStatus, StatusBoard, new_job_id
from snapshot.store import Announcement, SnapshotStore, connect
from snapshot.trees import labels_at

__all__ = [
    "ENDED",
    "SCHEMA",
    "STAGES",
    "STAGES_OF_SOME",
    "Announcement",
    "Cluster",
    "Curve",
    "Declared",
    "DocumentTree",
    "Documents",
    "Encoded",
    "NoSuchVersion",
    "Picture",
    "Placed",
    "Placing",
    "PublishRefused",
    "PushedDocuments",
    "Register",
    "Related",
    "RunRequest",
    "RunStatus",
    "SchemaTooNew",
    "SettingsError",
    "Snapshot",
    "SnapshotCorrupt",
    "SnapshotError",
    "SnapshotStore",
    "StatusBoard",
    "StoreSettings",
    "StoreUnavailable",
    "connect",
    "decode",
    "decode_document_tree",
    "decode_documents",
    "encode",
    "labels_at",
    "nearest",
    "new_job_id",
    "normalise",
    "posteriors",
    "read_settings",
    "version_at",
]
