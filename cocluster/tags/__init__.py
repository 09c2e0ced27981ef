"""Describes tags and documents of a fitted corpus: leading tags, lifts, profiles, the index of documents."""
