"""The web service: answers questions about tags from snapshots in memory.

`live_snapshots` holds the current snapshots and `view` makes one searchable. `query` parses queries; `cloud`,
`related`, `clusters`, `dendrogram` and `classification` answer them. `routing` turns declared endpoints into HTTP;
`routes` declares them, and `pages` renders the pages for people. `asgi` answers on the event loop what memory gives at
once and passes the rest to Flask (`wsgi`) through `bridge`; `policy` holds for both. `app` puts everything together.
"""
