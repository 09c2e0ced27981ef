"""`python -m cotag` runs the command line."""

from cotag.cli import main

main()
