"""A shop whose search page groups its tags with Cotag."""
