"""Which documents and tags are clustered, where all others belong, and the table of them for services."""
