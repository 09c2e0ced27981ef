"""The page of a document, and the list of all."""
