"""The contract between worker and service: what a snapshot holds, how it is encoded, where it lives in Redis.

`schema` defines its dataclasses, `fields` and `codec` turn them into bytes, `store` publishes and reads a snapshot
completely or not at all. `records` defines the small records beside it; `register`, `status` and `heartbeats` read and
write them.
docs/reference/redis.md documents every key for programs that read Redis directly.
"""

from runtime.settings import SettingsError, StoreSettings, read_settings
from snapshot.edits.undecided import undecided
from snapshot.errors import (
    AnotherPinned,
    NoSuchVersion,
    PublishRefused,
    SchemaMismatch,
    SnapshotCorrupt,
    SnapshotError,
    StoreUnavailable,
    WrongType,
)
from snapshot.store.edits import EditStore, StaleRevision
from snapshot.store.operation.heartbeats import BEAT_SECONDS, EXPIRY_SECONDS, Heartbeats, new_heartbeat
from snapshot.store.operation.register import CorpusRegister
from snapshot.store.operation.status import REMEMBERED_SECONDS, StatusBoard
from snapshot.store.pushed import PushedChange, PushedChanges, PushedDocument, PushedDocuments, pushed_revision
from snapshot.store.records import (
    ENDED,
    OPTIONAL_STAGES,
    STAGES,
    Announcement,
    Heartbeat,
    RecordReader,
    RegisteredCorpus,
    RunRequest,
    RunStatus,
    State,
    Turn,
    encode_record,
    is_trial,
    new_job_id,
)
from snapshot.store.snapshots import SnapshotStore, connect, translate_errors
from snapshot.version.aliases import Alias, AliasKind
from snapshot.version.documents.cards import Card, parse_card
from snapshot.version.documents.document_table import DocumentTable, has_checksums, table_in
from snapshot.version.documents.series import DailyCounts, Series, continued, counted_series
from snapshot.version.documents.texts import Texts
from snapshot.version.encoding.codec import (
    EncodedSnapshot,
    decode,
    decode_document_tree,
    decode_documents,
    decode_meta,
    encode,
    index_checksums,
    lineage_json,
)
from snapshot.version.languages import LANGUAGES
from snapshot.version.proposals import HIDDEN_KINDS, PROPOSAL_KINDS, RELATION_KINDS, Proposal, ProposalKind
from snapshot.version.schema import (
    SCHEMA,
    ClusterLineage,
    Documents,
    DocumentTree,
    Lineage,
    MapRegion,
    Picture,
    Snapshot,
    SnapshotMeta,
    version_after,
    version_at,
)
from snapshot.version.tail import NO_CONCEPT, TailTags
from tagmodel.language.spelling import TagPairs, distinct_pairs, normalise, plural_key, spelling_key, words_of_title

__all__ = [
    "BEAT_SECONDS",
    "ENDED",
    "EXPIRY_SECONDS",
    "HIDDEN_KINDS",
    "LANGUAGES",
    "NO_CONCEPT",
    "OPTIONAL_STAGES",
    "PROPOSAL_KINDS",
    "RELATION_KINDS",
    "REMEMBERED_SECONDS",
    "SCHEMA",
    "STAGES",
    "Alias",
    "AliasKind",
    "Announcement",
    "AnotherPinned",
    "Card",
    "ClusterLineage",
    "CorpusRegister",
    "DailyCounts",
    "DocumentTable",
    "DocumentTree",
    "Documents",
    "EditStore",
    "EncodedSnapshot",
    "Heartbeat",
    "Heartbeats",
    "Lineage",
    "MapRegion",
    "NoSuchVersion",
    "Picture",
    "Proposal",
    "ProposalKind",
    "PublishRefused",
    "PushedChange",
    "PushedChanges",
    "PushedDocument",
    "PushedDocuments",
    "RecordReader",
    "RegisteredCorpus",
    "RunRequest",
    "RunStatus",
    "SchemaMismatch",
    "Series",
    "SettingsError",
    "Snapshot",
    "SnapshotCorrupt",
    "SnapshotError",
    "SnapshotMeta",
    "SnapshotStore",
    "StaleRevision",
    "State",
    "StatusBoard",
    "StoreSettings",
    "StoreUnavailable",
    "TagPairs",
    "TailTags",
    "Texts",
    "Turn",
    "WrongType",
    "connect",
    "continued",
    "counted_series",
    "decode",
    "decode_document_tree",
    "decode_documents",
    "decode_meta",
    "distinct_pairs",
    "encode",
    "encode_record",
    "has_checksums",
    "index_checksums",
    "is_trial",
    "lineage_json",
    "new_heartbeat",
    "new_job_id",
    "normalise",
    "parse_card",
    "plural_key",
    "pushed_revision",
    "read_settings",
    "spelling_key",
    "table_in",
    "translate_errors",
    "undecided",
    "version_after",
    "version_at",
    "words_of_title",
]
