"""Measurements against peers. Not shipped; run with `make bench` or `python -m bench NAME`."""
