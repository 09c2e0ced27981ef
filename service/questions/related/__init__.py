"""Related tags, and how many documents each would leave. Entry point: `related.related`."""
