"""The parameters of every path, each checked, described, and with an example."""
