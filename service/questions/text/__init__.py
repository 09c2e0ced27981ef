"""Understands the text of queries, and names that others bring. Entry point: `query.parse_query`."""
