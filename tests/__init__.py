"""Tests: one folder a package, and architecture, bench, browser, e2e and faults."""
