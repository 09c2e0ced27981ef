"""cocluster."""
