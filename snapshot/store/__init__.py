"""Every key, script and record of Cotag in Redis; nothing else in the project names a key.

Entry points: `snapshots.SnapshotStore`, `edits.EditStore`, `pushed.PushedDocuments`. Imports `snapshot.version`,
`snapshot.edits` and `runtime`.
"""
