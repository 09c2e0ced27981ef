"""The features of one side of the engine: exact shares, groups of features, and when to group them anew."""
