"""The command line and `cotag up`: the only package that imports both worker and service. Enter at `cli`."""
