"""`cotag up`: store, worker, scheduler and service as processes of one machine, watched until they end. Enter at `up`.

It knows processes, files and ports, and nothing about tags; it imports no command.
"""
