"""The judged proposals, and which kinds they show."""

from bench.worker.proposals import judged as module
from bench.worker.proposals.judged import CLAIMS, DRAWN, FRESH, JUDGED, SHOWN, draw, judgements, precision, table
from snapshot import HIDDEN_KINDS
from tests.worker.corpora.test_proposals import proposed


def test_up_to_a_hundred_proposals_of_each_kind_and_corpus_were_judged_once():
    for corpus in JUDGED:
        for kind in CLAIMS:
            judged = [(each.tag, each.other) for each in judgements() if (each.corpus, each.kind) == (corpus, kind)]
            assert len(judged) == len(set(judged)) <= DRAWN
            assert all(bool(other) == (kind != "broad") for _, other in judged)
    assert {each.corpus for each in judgements()} == set(JUDGED)


def test_a_kind_is_hidden_if_fewer_than_sixty_of_a_hundred_are_right_where_nothing_was_tuned():
    hidden = set()
    for kind in (kind for kind in CLAIMS if kind != "nested"):  # none of these corpora has paths
        right, judged = precision(kind, FRESH)
        assert judged > 0
        if right < SHOWN * judged:
            hidden.add(kind)
    assert hidden == HIDDEN_KINDS
    assert sum("hidden" in line for line in table()) == len(HIDDEN_KINDS)


def test_so_many_of_each_kind_are_drawn_and_always_the_same(monkeypatch):
    monkeypatch.setattr(module, "proposed", lambda _: list(proposed()[1]))
    monkeypatch.setattr(module, "DRAWN", 1)
    drawn = list(draw("planted"))
    planted = [kind for kind in CLAIMS if kind not in {"nested", "head-word", "implied"}]
    assert [each.kind for each in drawn] == planted
    assert drawn == list(draw("planted"))
