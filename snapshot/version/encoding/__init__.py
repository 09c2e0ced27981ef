"""How a version becomes bytes, and older schemas readable. Entry points: `codec.encode`, `codec.decode`."""
