"""When two spellings are the same tag."""

from hypothesis import given
from hypothesis import strategies as st

from snapshot import normalise


def test_spellings_of_one_tag_are_equal():
    assert normalise("  Credit\tCARD ") == "credit card"
    assert normalise("Straße") == normalise("STRASSE")
    assert normalise("ｆｕｌｌ ｗｉｄｔｈ") == "full width"
    assert normalise("ﬁsh") == "fish"


@given(st.text())
def test_normalising_twice_changes_nothing(text):
    assert normalise(normalise(text)) == normalise(text)
