"""The page for those who come from other libraries: every block whose library is installed runs."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

from cocluster import v_measure

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/how-to/coming-from.md").read_text()
FIRST, *BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
LIBRARIES = dict(zip(("cocluster", "sklearn", "sknetwork", "bertopic"), BLOCKS, strict=True))


@pytest.mark.filterwarnings("ignore")  # of the peers
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_block_groups_documents_and_names_their_words(library, monkeypatch):
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    monkeypatch.chdir(ROOT)
    values = {}
    exec(FIRST + LIBRARIES[library], values)  # noqa: S102 - the block as readers copy it
    documents, words = np.asarray(values["documents"]), values["words"]
    assert len(documents) >= 0.9 * len(values["recipes"])
    assert all(isinstance(word, str) for each in words for word in each)
    assert len(np.unique(documents[documents >= 0])) == len([each for each in words if each]) > 3
    cuisines = values["recipes"]["cuisine"].to_numpy()
    if len(documents) == len(cuisines):
        print(f"{library}: {len(words)} clusters, V-measure with the cuisines {v_measure(cuisines, documents):.2f}")
        assert v_measure(cuisines, documents) > 0.2


def test_the_block_names_what_it_imports():
    for library, block in LIBRARIES.items():
        assert f"from {library}" in block
