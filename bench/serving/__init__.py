"""How fast the service answers, side by side with a bare Flask route and with counts in Redis queried per request.

python -m bench.serving
"""
