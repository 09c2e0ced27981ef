"""How fast the service answers beside its rivals, which server carries it best, and what readers see during faults.

python -m bench.serving
python -m bench.serving.servers
python -m bench.serving.faults
"""
