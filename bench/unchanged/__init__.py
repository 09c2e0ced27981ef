"""Measures this checkout beside another one, to show that speed has not changed."""
