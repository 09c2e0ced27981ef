"""The compiled loops of related tags. They take arrays and check nothing."""
