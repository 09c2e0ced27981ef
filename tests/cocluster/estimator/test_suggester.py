"""TagSuggester: it learns from tagged texts, uses tags that are there, and measures itself."""

import numpy as np
import pytest

from cocluster import TagSuggester


def corpus(count, seed):
    """Six topics of two tags each, which come together; a text says a word of one of the two."""
    random = np.random.default_rng(seed)
    topics = random.integers(6, size=count).tolist()
    texts = [f"the word{topic}x{random.integers(4)} of it" for topic in topics]
    return texts, [[f"t{topic}", f"u{topic}"] for topic in topics]


def test_it_finds_the_tags_of_other_texts_and_says_how_well():
    suggester = TagSuggester().fit(*corpus(300, 0))
    assert suggester.score(*corpus(60, 1), first=2) > 0.95
    assert suggester.record_["text_recall_5"] > 0.95


def test_tags_that_are_there_bring_their_company_and_are_not_suggested_again():
    suggester = TagSuggester().fit(*corpus(300, 0))
    (found,) = suggester.predict(["nothing known"], [["t3"]], limit=3)
    assert found[0][0] == "u3"
    assert "t3" not in [tag for tag, _ in found]
    assert all(0 <= probability <= 1 for _, probability in found)


def test_as_many_texts_as_lists_of_tags():
    with pytest.raises(ValueError, match="2 texts, but the tags of 1"):
        TagSuggester().fit(["a", "b"], [["x"]])
