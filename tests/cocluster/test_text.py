"""Tags from words: what is counted, learnt, mixed and measured, and that a text finds what it was learnt from."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from cocluster.text import Case, TaggedRows, TextSettings, Trial, fit_text, learn_mix, learn_text, word_matrix
from tagmodel.language.text import FEATURES, TextModel
from tagmodel.language.words import LONGEST_TEXT, counted, phrases_of, text_words, word_hash


def corpus(count=400, seed=0):
    """Eight tags; a document with tag t says two of the words of t, and sometimes its name."""
    random = np.random.default_rng(seed)
    texts, tags = [], np.zeros((count, 8))
    for row in range(count):
        chosen = random.choice(8, random.integers(1, 4), replace=False)
        tags[row, chosen] = 1.0
        words = [f"word{tag}x{random.integers(5)}" for tag in chosen for _ in range(2)]
        words += [f"name{tag}" for tag in chosen if random.random() < 0.3]
        texts.append((words[0], " ".join([*words[1:], "the", "noise"])))
    return word_matrix(texts, [[f"name{tag}"] for tag in range(8)]), csr_array(tags), texts


def test_words_are_runs_of_letters_and_digits_in_lower_case():
    assert text_words("Café-Crème: 2 for 1_x") == ["café", "crème", "2", "for", "1", "x"]
    assert text_words("ﬁne") == ["fine"]
    assert len(text_words("a " * LONGEST_TEXT)) == LONGEST_TEXT // 2


def test_a_word_of_the_title_counts_as_a_word_and_as_one_of_the_title():
    title, text = counted("card", ""), counted("", "card")
    assert word_hash("card") in title.hashes.tolist()
    assert text.hashes.tolist() == [word_hash("card")]
    assert len(title.hashes) == 2


def test_no_phrase_crosses_from_the_title_into_the_text():
    crossing = phrases_of("credit", "card")
    inside = phrases_of("credit card", "")
    assert len(inside) == 3
    assert len(crossing) == 2


def test_names_are_found_and_how_often_they_hold():
    data, Y, _ = corpus()
    model = fit_text(data, Y, TextSettings())
    assert data.named.sum() > 50
    assert (model.phrase_chances > 0.9).all()


def test_each_kind_of_evidence_finds_the_tag_of_its_words():
    data, Y, _ = corpus()
    model = fit_text(data, Y, TextSettings())
    found = model.evidence(TaggedRows.of(Y), "", "word3x1 word3x2 name5")
    by_tag = dict(zip(found.tags.tolist(), zip(found.votes, found.weights, found.chances, strict=True), strict=True))
    assert max(by_tag, key=lambda tag: by_tag[tag][1]) == 3
    assert max(by_tag, key=lambda tag: by_tag[tag][0]) == 3
    assert by_tag[5][2] > 0.9
    assert by_tag[3][2] == 0


def test_a_document_finds_itself_first_among_its_neighbours():
    data, Y, texts = corpus()
    model = fit_text(data, Y, TextSettings())
    for row in (0, 17, 399):
        found = model.evidence(TaggedRows.of(Y), *texts[row])
        assert found.likeness[0] == pytest.approx(1.0, abs=0.02)
        assert texts[row] in [texts[place] for place in found.neighbours[:3].tolist()]


def test_a_text_without_known_words_says_nothing():
    data, Y, _ = corpus()
    found = fit_text(data, Y, TextSettings()).evidence(TaggedRows.of(Y), "???", "unheard of")
    assert not len(found.tags)
    assert not len(TextModel().evidence(TaggedRows.of(Y), "word3x1", "").tags)


def test_the_mix_tells_right_from_wrong_and_leaves_out_what_says_nothing():
    random = np.random.default_rng(1)
    cases = []
    for _ in range(200):
        features = random.normal(size=(20, FEATURES))
        features[:, 2] = 7.0
        cases.append(Case(features, random.random(20) < 1 / (1 + np.exp(-(3 * features[:, 0] - 2)))))
    mix = learn_mix(cases)
    assert mix[0] == pytest.approx(3.0, abs=0.4)
    assert mix[-1] == pytest.approx(-2.0, abs=0.4)
    assert mix[2] == 0
    assert np.abs(mix[[1, *range(3, FEATURES)]]).max() < 0.2


def test_scores_are_about_the_frequencies_of_right_tags():
    data, Y, _ = corpus(800)
    trial = Trial(np.arange(0, 800, 5), lambda _: np.zeros((2, 8)))
    learnt = learn_text(data, Y, trial)
    fresh, truth, fresh_texts = corpus(300, seed=9)
    assert fresh.counts.shape[0] == 300
    scores, right = [], []
    for row, text in enumerate(fresh_texts):
        found = learnt.model.evidence(TaggedRows.of(Y), *text)
        scores += learnt.model.scores(found, found.tags).tolist()
        right += truth[[row]].toarray()[0][found.tags].tolist()
    assert np.mean(scores) == pytest.approx(np.mean(right), abs=0.03)
    assert learnt.record["text_recall_5"] > 0.95


def test_tags_and_text_together_find_more_than_either_alone():
    """Tag 2k is the company of 2k + 1. The text speaks of half of the pairs only."""
    random = np.random.default_rng(2)
    pairs = random.integers(4, size=(600, 2))
    tags = np.zeros((600, 8))
    texts = []
    for row, (one, other) in enumerate(pairs.tolist()):
        tags[row, [2 * one, 2 * one + 1, 2 * other, 2 * other + 1]] = 1.0
        texts.append(("", f"word{one}x{random.integers(3)} the noise"))
    data, Y = word_matrix(texts, [[f"name{tag}"] for tag in range(8)]), csr_array(tags)

    def beside(given):
        said = np.full((2, 8), 0.05)
        said[:, [tag ^ 1 for tag in given]] = 5.0
        return said

    record = learn_text(data, Y, Trial(np.arange(0, 600, 4), beside)).record
    assert record["both_recall_5"] >= max(record["text_recall_5"], record["tags_recall_5"])


def test_a_corpus_too_small_for_a_trial_still_suggests():
    data, Y, _ = corpus(30)
    learnt = learn_text(data, Y, None)
    found = learnt.model.evidence(TaggedRows.of(Y), "", "name4")
    assert learnt.record == {}
    assert found.tags[np.argmax(learnt.model.scores(found, found.tags))] == 4
