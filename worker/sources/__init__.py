"""Where documents come from.

`declared` says how a source is written in the corpora file, `reading` turns it into a stream of documents: from `files`
(`shards` reads several side by side, `opening` decompresses them, `json_lines` and `tables` know their formats), from
`sql`, or `pushed` over HTTP.
"""
