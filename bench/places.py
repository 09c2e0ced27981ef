"""Where measurements find the checkout, its pictures and their results, and the corpora beside the checkout."""

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
IMAGES: Final = ROOT / "docs" / "images"
RESULTS: Final = ROOT / "bench" / "results"
SHARED: Final = ROOT.parent / "shared"
"""Larger corpora and embeddings; not a part of the project."""

CORPORA: Final = SHARED / "corpora"
