"""Files as streams of bytes and lines in UTF-8, whatever they are packed or encoded in. Enter at `lines`.

Knows no format; imports only what a source is.
"""
