"""How far the method goes: time, memory and quality from five thousand documents to half a million.

python -m bench.cocluster.scale
"""
