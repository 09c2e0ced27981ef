class StartError(Exception):
    """Something on this machine keeps Cotag from starting; the message is all the user needs."""
