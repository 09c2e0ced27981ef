"""Answers a search page's questions about tags from snapshots held in memory.

`shelf` keeps the current snapshots, `view` makes one searchable, `understanding`, `suggesting` and `cloud` are the
questions, `api` and `page` the two ways to ask them over HTTP, `app` puts it together.
"""
