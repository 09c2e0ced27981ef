"""A corpus as a static site, for any host or none: `cotag export` writes it."""
