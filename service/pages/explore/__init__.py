"""The tree of tags, cut anywhere."""
