"""The shape of the house: what a stranger sees of its folders, modules and imports, read from the files alone.

`python -m bench.shape [BEFORE]` prints the counts, `python -m bench.shape.plan` draws the rooms and their imports.
"""
