"""Where documents come from.

`declared` says how a source is written in the corpora file, `reading` turns it into a stream of documents: from `files`
(`shards` reads several side by side, `opening` decompresses them, `formats` lists the readers, which are `json_lines`
and `tables`), from `sql`, or `pushed` over HTTP.
"""
