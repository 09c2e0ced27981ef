"""Answers a search page's questions about tags from snapshots held in memory.

`live` holds the current snapshots and `view` makes one searchable. `understanding`, `suggesting` and `cloud` answer
questions about it. `routing` turns declared endpoints into HTTP; `reading`, `operating` and `writing` declare them, and
`pages` has the pages for people. `app` puts it together.
"""
