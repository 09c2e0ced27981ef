"""cotag."""
