"""What a version holds: its dataclasses, how they become bytes, and how two versions differ. No Redis, no clock.

Entry points: `schema.Snapshot`, `codec.encode`, `codec.decode`. Imports tagmodel only.
"""
