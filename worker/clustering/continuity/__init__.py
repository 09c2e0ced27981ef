"""What a run takes from the version before, and which concepts it continues. Entry points: `inheritance`, `trace`."""
