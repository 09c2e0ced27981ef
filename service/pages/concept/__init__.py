"""The page of a concept, and the list of all."""
