"""What some tests need beyond the packages of pyproject.toml. Without it they are skipped and say what they need."""

import os
from pathlib import Path

import pytest

CORPORA = Path(__file__).parents[2] / "shared" / "corpora"


def missing(what):
    """Skip the test, or fail it where everything has to be there."""
    message = f"needs {what}"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


def corpus_file(name):
    """One of the corpora beside the repository. They are no part of it, so that CI may lack them, too."""
    path = CORPORA / f"{name}.jsonl.gz"
    if not path.exists():
        pytest.skip(f"needs ../shared/corpora/{path.name}")
    return path
