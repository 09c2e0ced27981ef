"""The formats of files. A new one is a module with its reader and a line in `registry.FORMATS`."""
