"""The server under every request: gunicorn, the event loop, connections and their limits."""
