"""The documents of each tag and the tags of each document, counted or restricted. Entry point: `document_index`."""
