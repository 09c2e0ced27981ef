"""The health of the store itself: waiting for it, confirming writes, and a warning of eviction."""
