"""Help at the moment of tagging. Entry point: `suggest.suggest_tags`."""
