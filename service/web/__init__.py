"""HTTP, and nothing about tags: requests, responses, negotiation, caching, policy, metrics, and the server.

Entry point: `server.gunicorn.Server`.
"""
