"""The vocabulary of a version for other programs: `skos` writes it in the words of the semantic web."""
