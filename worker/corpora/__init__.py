"""The corpora file: what it declares, what is wrong in it, which declarations are in force, and editors' keys.

Entry points: `declaration.read_sections`, `current.Declarations`.
"""
