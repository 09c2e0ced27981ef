"""Reads documents from files, databases, or the store.

`declarations` defines how the corpora file declares a source, `reading` turns it into a stream of documents: from
`files` (`shards` reads several in parallel, `lines` decompresses them, `formats` lists the readers, which are
`json_lines` and `tables`), from `sql`, or `pushed` over HTTP.
"""
