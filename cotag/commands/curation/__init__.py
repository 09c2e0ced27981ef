"""Commands about what editors decide: edits, proposals, thesauri."""
