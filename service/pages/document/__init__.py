"""The page of a document, the list of all, and the page for tagging one."""
