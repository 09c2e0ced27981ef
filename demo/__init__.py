"""The demo corpus: 5,233 icons with their search keywords, and the corpora file that declares it.

Made by make_demo.py from the npm package @tabler/icons (MIT, notice in LICENSE.tabler-icons).
"""
