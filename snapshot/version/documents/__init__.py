"""The documents of a version: their table, cards, dates and texts, and a version without some of them."""
