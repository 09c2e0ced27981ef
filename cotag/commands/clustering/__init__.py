"""Commands about a source of documents: `cotag cluster` and `cotag init`. Entry points: `cluster`, `init`."""
