"""Writes the clients of the API, in Python and in TypeScript, from openapi.json: `python -m clients`."""
