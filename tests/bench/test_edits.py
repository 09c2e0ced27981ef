"""The measurement of editors' decisions."""

from bench.service.edits import random_edits
from snapshot.edits import conflicts


def test_the_edits_that_are_measured_are_many_of_several_kinds_without_contradiction():
    edits = random_edits([f"tag {number}" for number in range(300)], 500)
    assert len(edits) > 480
    assert {edit.kind for edit in edits} == {"move", "apart", "together", "label", "synonym", "distinct"}
    assert not conflicts(edits)
