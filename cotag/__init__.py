"""The command line and the one-command launcher: the only place that sees worker and service both."""
