"""The HTTP API: declared endpoints, their parameters, openapi.json, and errors as problem+json.

Entry point: `routing.Api`.
"""
