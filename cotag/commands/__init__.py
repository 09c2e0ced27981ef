"""What each command does once `cotag.cli` has read its options: a module for each group of commands.

Enter at `cotag.cli`, which lists them. No command imports the launcher.
"""
