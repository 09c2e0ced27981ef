"""Measurements against peers. Not shipped; run with `make bench` or `python -m bench NAME`.

Rooms as in the product: `cocluster`, `worker`, `service`, `system` (all parts together); `meaning`, `shape` and
`unchanged` judge the whole.
"""
