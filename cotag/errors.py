"""The error of the command line."""


class StartError(Exception):
    """A command cannot do its work; the message is all that the user needs, without a stack trace."""
