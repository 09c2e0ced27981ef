"""The golden cases as a fixture."""

import json
from pathlib import Path

import numpy as np
import pytest

GOLDEN = Path(__file__).parent / "golden"


class Golden:
    """A golden case: its matrix and every result that an independent implementation gave for it."""

    def __init__(self, path):
        self.expected = json.loads(path.read_text())
        self.matrix = np.zeros(self.expected["shape"])
        for document, tags in enumerate(self.expected["documents"]):
            self.matrix[document, tags] = 1.0


@pytest.fixture(params=sorted(path.stem for path in GOLDEN.glob("*.json")))
def golden(request):
    return Golden(GOLDEN / f"{request.param}.json")
