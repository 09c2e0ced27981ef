"""Parsing queries, ranking related tags and grouping them, on the small snapshot."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from cotag.commands.clustering.cluster import cut_snapshot
from service.errors import UnknownTags
from service.questions.clouds.cloud import cloud, cloud_groups, group_clusters
from service.questions.clouds.grouping import Grouping
from service.questions.clusters.clusters import clusters
from service.questions.clusters.dendrogram import of_tags
from service.questions.related.ranking import Ranking, rank, shares
from service.questions.related.related import related
from service.questions.text.close_spelling import suggest
from service.questions.text.query import NOTHING, Part, exact_tags, parse_known, parse_query, parse_text
from service.view.view import View, without_accents, without_punctuation
from snapshot import decode, normalise
from tests.clustered import BROAD, TAGS, by_count, clustered, counts, published, snapshot_at
from tests.conftest import TOPICS
from worker.clustering.labels import label_clusters


def tags(query):
    return [TAGS[tag] for tag in query.tags]


def test_unknown_tags_are_refused_or_ignored_as_asked(view):
    """An unknown tag is an error, or listed if asked for; a query of unknown tags alone is always an error."""
    with pytest.raises(UnknownTags, match="there is no tag 'gitarr' in small"):
        parse_query(view, ["payment", "gitarr"], "")
    query = parse_query(view, ["payment", "gitarr", "xyzzy"], "", unknown="ignore")
    assert (tags(query), query.ignored) == (["payment"], ("gitarr", "xyzzy"))
    assert [(each.text, each.tags[0]) for each in query.suggestions] == [("gitarr", "guitar")]
    with pytest.raises(UnknownTags, match="there is no tag 'gitarr' in small"):
        parse_query(view, ["gitarr", "xyzzy"], "", unknown="ignore")


def test_unknown_tags_beside_words_are_ignored_if_the_words_are_known(view):
    """Words that make a tag keep a query alive whose tags are all unknown."""
    query = parse_query(view, ["gitarr"], "rain blorb", unknown="ignore")
    assert (tags(query), query.ignored) == (["rain"], ("gitarr", "blorb"))
    with pytest.raises(UnknownTags, match="gitarr"):
        parse_query(view, ["gitarr"], "rain")


@pytest.mark.parametrize(
    ("text", "expected", "how"),
    [
        ("payment", "payment", "exact"),
        ("  PAYMENT ", "payment", "exact"),
        ("payments", "payment", "plural"),
        ("paymnet", "payment", "spelling"),
        ("credit card", "credit card", "exact"),
        ("credit cards", "credit card", "plural"),
        ("Version_Control", "version-control", "exact"),
        ("rains", "rain", "plural"),
        ("jazz", "Jazz", "exact"),
    ],
)
def test_how_words_are_parsed(view, text, expected, how):
    (part,) = parse_text(view, text).parts
    assert (part.tag, part.how) == (expected, how)


def longest_by_trying_all_lengths(view, words):
    """What the first words mean, by the rules alone: the longest phrase that is a tag, a plural of one or one without
    its accents.
    """
    for length in range(len(words), 0, -1):
        phrase = " ".join(words[:length])
        forms = [f"{phrase}s", f"{phrase}es"]
        forms += [f"{phrase[: -len(end)]}{other}" for end, other in ENDINGS if phrase.endswith(end)]
        for form, how in [(phrase, "exact"), *((form, "plural") for form in forms)]:
            if form in view.loose:
                return length, view.loose[form], how
        plain = without_accents(phrase)
        if plain in view.unaccented or plain in view.loose:
            return length, view.unaccented.get(plain, view.loose.get(plain)), "spelling"
    return None


ENDINGS = (("ies", "y"), ("es", ""), ("s", ""), ("y", "ies"))
PHRASES = (
    "new",
    "new york",
    "new york city",
    "york",
    "café",
    "café noir",
    "cafe noir au lait",
    "ǽ",
    "lilies",
    "lily pad",
)


@pytest.fixture(scope="module")
def phrases():
    """A view whose tags are phrases that begin alike."""
    names = (*PHRASES, *clustered()[0].names[len(PHRASES) :])
    return View(snapshot_at(names=names, keys=tuple(map(normalise, names))))


words_of_phrases = sorted({word for phrase in PHRASES for word in phrase.split()})
typed = st.tuples(st.sampled_from([*PHRASES, *words_of_phrases]), st.sampled_from(["", "", "s", "es", "\u0301"])).map(
    "".join
)


@given(st.lists(typed | st.sampled_from(["pads", "xyz", "new-york"]), min_size=1, max_size=4).map(" ".join))
@example("café noir").via("the first word of a phrase with its accent")
@example("cafe noir york").via("and without")
@example("new york cities").via("a plural at the end of a phrase")
@settings(deadline=None)
def test_a_text_of_tags_is_parsed_by_its_longest_phrases(phrases, text):
    words, expected = without_punctuation(normalise(text)).split(), {}
    while words and expected is not None:
        found = longest_by_trying_all_lengths(phrases, words)
        if found is None:
            expected = None
        else:
            length, tag, how = found
            expected.setdefault(tag, (" ".join(words[:length]), how))
            words = words[length:]
    query = parse_known(phrases, text)
    assert (
        None
        if query is None
        else {tag: (part.text, part.how) for tag, part in zip(query.tags, query.parts, strict=True)}
    ) == expected
    if query is not None:
        assert parse_text(phrases, text) == query
        assert query.ignored == query.suggestions == ()


def test_a_text_is_parsed_anew_for_every_view(view, phrases):
    assert parse_known(phrases, "new york").parts[0].tag == "new york"
    assert parse_known(view, "new york") is None
    assert parse_known(view, "cash") is not None
    assert parse_known(view, "cash nothing") is None


def test_the_longest_phrase_wins_and_the_rest_is_ignored(view):
    found = parse_text(view, "cheap credit card and Snow")
    assert tags(found) == ["credit card", "snow"]
    assert found.ignored == ("cheap", "and")
    assert found.parts[0] == Part("credit card", "credit card", "exact")


def test_a_tag_asked_for_twice_counts_once(view):
    assert tags(parse_query(view, ["Payment"], "payments cash")) == ["payment", "cash"]


@pytest.mark.parametrize(
    ("text", "wanted", "excluded"),
    [
        ("payment -cash", ["payment"], ["cash"]),
        ("-cash payment -Coins", ["payment"], ["cash", "coin"]),
        ('payment -"credit card"', ["payment"], ["credit card"]),
        ("payment -credit card", ["payment"], []),
        ("cash -cash rain", ["rain"], ["cash"]),
        ("-cash", [], ["cash"]),
        ("credit-card - cash", ["credit card", "cash"], []),
        ("payment --cash", ["payment", "cash"], []),
    ],
)
def test_a_hyphen_before_a_word_or_a_quoted_phrase_excludes_it(view, text, wanted, excluded):
    """A hyphen inside a word, or alone, does not. What is both asked for and excluded is excluded."""
    query = parse_query(view, [], text)
    assert (tags(query), [part.tag for part in query.excluded_parts], query.text) == (wanted, excluded, text)


def test_an_excluded_word_is_no_close_spelling(view):
    """Excluding a tag by mistake hides things: an unknown word is listed as ignored, with suggestions."""
    query = parse_query(view, [], "payment -csah -guitarr")
    assert (query.excluded, query.ignored) == ((), ("csah", "guitarr"))
    assert "guitar" in query.suggestions[-1].tags


def test_an_unknown_excluded_tag_is_refused_or_ignored(view):
    """As any other unknown tag."""
    with pytest.raises(UnknownTags, match="gitarr"):
        parse_query(view, ["payment"], "", exclude=["gitarr"])
    query = parse_query(view, ["payment"], "", exclude=["gitarr", "Cash"], unknown="ignore")
    assert ([part.tag for part in query.excluded_parts], query.ignored) == (["cash"], ("gitarr",))


def test_a_text_without_a_tag_comes_with_suggestions(view):
    """Nothing found is a result, not an error."""
    query = parse_text(view, "paimen")
    assert query.nothing_known
    assert (query.tags, query.ignored) == ((), ("paimen",))
    assert [(meant.text, meant.tags) for meant in query.suggestions] == [("paimen", ["payment"])]


@pytest.mark.parametrize(("text", "tag"), [("paymnet", "payment"), ("pament", "payment"), ("paiement", "payment")])
def test_a_slip_or_two_are_read_as_the_tag(view, text, tag):
    """One slip, two from eight letters on."""
    (part,) = parse_text(view, text).parts
    assert (part.tag, part.how) == (tag, "spelling")


@pytest.mark.parametrize("text", ["cahs", "xayment", "paiemnt", "brainstormed", "xylophone"])
def test_what_may_be_another_word_is_never_read_as_a_tag(view, text):
    """Short words, another first letter and more slips are only suggested, if at all."""
    assert parse_text(view, text).nothing_known


def test_only_an_excluded_word_that_is_unknown_asks_for_the_whole_corpus(view):
    query = parse_query(view, [], "-xylophone")
    assert not query.nothing_known
    assert cloud(view, query, limit=10, groups=3, specificity=0.5).groups
    assert not cloud(view, parse_query(view, [], "xylophone"), limit=10, groups=3, specificity=0.5).groups


def spoken(view, language):
    return View(replace(view.snapshot, parameters={**view.snapshot.parameters, "language": language}))


def test_inflections_are_read_by_the_language_of_the_corpus(view):
    (part,) = parse_text(spoken(view, "en"), "raining").parts
    assert (part.tag, part.how) == ("rain", "inflection")
    assert parse_text(view, "raining").nothing_known, "no language is declared"
    assert parse_text(spoken(view, "en"), "rainbow").nothing_known


def test_a_plural_is_the_longer_of_two_singulars():
    names = ("plan", "plane", *clustered()[0].names[2:])
    view = View(snapshot_at(names=names, keys=tuple(map(normalise, names))))
    assert [part.tag for part in parse_text(view, "planes").parts] == ["plane"]
    assert [part.tag for part in parse_text(view, "plans").parts] == ["plan"]


def test_of_tags_with_one_stem_the_one_that_is_spelled_most_alike_is_meant():
    """operator, operation, operational and operating have one stem."""
    names = ("operator", "operation", *clustered()[0].names[2:])
    view = spoken(View(snapshot_at(names=names, keys=tuple(map(normalise, names)))), "en")
    assert [part.tag for part in parse_text(view, "operational").parts] == ["operation"]
    names = ("pause", "paused", "access", "accessibility", *names[4:])
    view = spoken(View(snapshot_at(names=names, keys=tuple(map(normalise, names)))), "en")
    assert [part.tag for part in parse_text(view, "pausing accessing").parts] == ["pause", "access"]
    swapped = ("operation", "operator", *names[2:])
    view = spoken(View(snapshot_at(names=swapped, keys=tuple(map(normalise, swapped)))), "en")
    assert [part.tag for part in parse_text(view, "operational").parts] == ["operation"]


def test_two_words_swapped_are_the_tag():
    names = ("zither plectrum", *clustered()[0].names[1:])
    view = View(snapshot_at(names=names, keys=tuple(map(normalise, names))))
    (part,) = parse_text(view, "plectrum zither").parts
    assert (part.tag, part.how) == ("zither plectrum", "spelling")


def test_two_words_swapped_are_the_tag_if_only_the_first_is_a_tag_itself():
    """The second would be read as a variant of another tag. If both are tags, they are two."""
    names = ("cat power", "power", "cats", *clustered()[0].names[3:])
    view = View(snapshot_at(names=names, keys=tuple(map(normalise, names))))
    assert [part.tag for part in parse_text(view, "power cat").parts] == ["cat power"]
    assert [part.tag for part in parse_text(view, "power cats").parts] == ["power", "cats"]


def test_another_letter_in_a_short_word_is_only_suggested():
    """Otter is no slip of outer: most short words have a neighbour."""
    names = ("outer", "marble", "pattern", *clustered()[0].names[3:])
    view = View(snapshot_at(names=names, keys=tuple(map(normalise, names))))
    assert parse_text(view, "otter").nothing_known
    assert parse_text(view, "otter").suggestions[0].tags == ["outer"]
    read = [parse_text(view, text).parts[0].tag for text in ("outter", "mrable", "pattorn")]
    assert read == ["outer", "marble", "pattern"]


def test_an_exact_tag_must_exist(view):
    assert tags(exact_tags(view, ["JAZZ"])) == ["Jazz"]
    with pytest.raises(UnknownTags, match="there is no tag 'rains'") as caught:
        exact_tags(view, ["rains"])
    assert caught.value.suggestions[0] == "rain"


@given(st.text(max_size=600))
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_any_text_is_parsed_or_refused_with_reason(view, text):
    try:
        found = parse_text(view, text)
    except UnknownTags:
        return
    assert all(0 <= tag < len(view.snapshot.names) for tag in found.tags)
    assert len(set(found.tags)) == len(found.tags)
    suggest(view, text)


def test_specificity_moves_from_popular_to_specific(view):
    """The rarer a tag, the more its odds gain."""
    query = (view.index["payment"],)
    before, after = (
        {tag: score / (1 - score) for tag, score in zip(found.tags, found.scores, strict=True)}
        for found in (rank(view, query, 0.0, 100), rank(view, query, 1.0, 100))
    )
    assert before.keys() == after.keys()
    gains = [after[tag] / before[tag] for tag in sorted(after, key=lambda tag: view.counts[tag])]
    assert gains == pytest.approx(sorted(gains, reverse=True))
    assert gains[0] > 1.1 * gains[-1]


def test_several_tags_are_asked_together_with_their_shares(view):
    query = (view.index["payment"], view.index["cash"])
    found = rank(view, query, 1.0, 6)
    assert {TAGS[tag] for tag in found.tags} == set(TOPICS["money"]) - {"payment", "cash"}
    for each in shares(found).T:
        assert sum(each) == pytest.approx(1)
        assert min(each) > 0


def test_a_tag_that_more_speaks_against_than_for_is_not_suggested(view):
    related = view.snapshot.related
    query = (view.index["payment"], view.index["rain"])
    said = np.zeros((2, len(TAGS)))
    for place, tag in enumerate(query):
        span = slice(related.starts[tag], related.starts[tag + 1])
        said[place, related.indices[span]] = related.together[span]
    found = rank(view, query, 0.5, 100)
    against = np.flatnonzero((said.sum(axis=0) < 0) & (said.max(axis=0) > 0))
    assert len(against) > 0
    assert not set(against.tolist()) & set(found.tags)
    for tag, (first, second) in zip(found.tags, shares(found).T, strict=True):
        assert (first == 0) == (said[0, tag] <= 0)
        assert (second == 0) == (said[1, tag] <= 0)


def test_reasons_come_by_falling_share_and_a_very_small_one_is_still_a_reason(view):
    """Of three query tags, one brings the suggestion, one hardly, and one speaks against it."""
    starts = np.zeros(len(TAGS) + 1, dtype=np.int32)
    starts[1:] = 3
    starts[1], starts[2] = 1, 2
    weights = replace(
        view.snapshot.related,
        starts=starts,
        indices=np.full(3, 7, dtype=np.int32),
        alone=np.ones(3, dtype=np.float32),
        together=np.array([1e-6, 1.0, -0.5], dtype=np.float32),
        evidence=np.zeros(3, dtype=np.float32),
    )
    altered = View(snapshot_at(related=weights))
    names = altered.snapshot.names
    (suggestion,) = related(altered, exact_tags(altered, list(names[:3])), limit=5, specificity=0.5).related
    assert suggestion["tag"] == names[7]
    assert suggestion["because"] == [{"tag": names[1], "share": 1.0}, {"tag": names[0], "share": 0.0}]
    (alone,) = related(altered, exact_tags(altered, [names[0]]), limit=5, specificity=0.5).related
    assert alone["because"] == [{"tag": names[0], "share": 1.0}]


def test_what_the_limit_leaves_out_is_counted(view):
    query = (view.index["payment"],)
    every, found = rank(view, query, 1.0, 100), rank(view, query, 1.0, 1, with_rest=True)
    assert (len(found.tags), found.others) == (1, len(every.tags) - 1)
    assert found.rest == pytest.approx(sum(every.scores[1:]))
    assert rank(view, query, 1.0, 1).rest == 0.0


@given(st.data())
@settings(deadline=None)
def test_ranking_is_the_formula_for_any_query_and_specificity(view, data):
    related, n = view.snapshot.related, len(TAGS)
    query = tuple(data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=6, unique=True)))
    specificity = data.draw(st.floats(0, 1))
    weights, share = (related.alone, 0.0) if len(query) == 1 else (related.together, related.logistic_weight)
    rows, logits = np.zeros(n, np.float32), related.prior.astype(np.float64)
    for tag in query:
        span = slice(related.starts[tag], related.starts[tag + 1])
        rows[related.indices[span]] += weights[span]
        logits[related.indices[span]] += related.evidence[span]
    rows = np.maximum(rows, 0).astype(np.float64)
    exponents = related.single_tag_exponents if len(query) == 1 else related.popularity_exponents
    exponent = np.interp(specificity, (0, 0.5, 1), exponents)
    scale = min(view.counts) if exponent > 0 else max(view.counts)
    odds = rows ** (1 - share) * np.exp(share * logits) * (scale / np.array(view.counts)) ** exponent
    expected = odds / (1 + odds)
    expected[list(query)] = 0
    found = rank(view, query, specificity, 100)
    assert sorted(found.tags) == np.flatnonzero(expected).tolist()
    assert found.scores == pytest.approx(expected[found.tags], rel=1e-5)
    assert found.scores.tolist() == sorted(found.scores, reverse=True)


def groups(labels):
    return {frozenset(tag for tag, label in zip(TAGS, labels, strict=True) if label == each) for each in set(labels)}


def test_cutting_the_tree_gives_exactly_k_clusters_for_every_k(view):
    before = [frozenset(TAGS)]
    for k in range(1, len(TAGS) + 1):
        labels = view.tree.cut(k).tolist()
        assert sorted(set(labels)) == list(range(k))
        assert all(any(group <= other for other in before) for group in groups(labels))
        before = groups(labels)
    assert {group - {BROAD} for group in groups(view.tree.cut(4).tolist())} == set(map(frozenset, TOPICS.values()))


def test_groups_are_joined_along_the_tree_when_there_are_too_many(view):
    every = set(view.clusters)
    assert group_clusters(view, every, 4) == {cluster: cluster for cluster in every}
    for most in (3, 2, 1):
        above = dict(zip(view.cluster_of, view.tree.cut(most).tolist(), strict=True))
        pairs = {(group, above[cluster]) for cluster, group in group_clusters(view, every, most).items()}
        assert len(pairs) == most


@pytest.mark.parametrize("by", ["query", "clusters"])
@pytest.mark.parametrize("asked", [[], ["payment"], ["payment", "rain"]])
def test_a_cloud_drops_nothing_and_marks_broad_tags(view, by, asked):
    answer = cloud(view, exact_tags(view, asked), limit=100, groups=8, specificity=0.5, by=by)
    shown = [tag for group in answer.groups for tag in group["tags"]]
    names = [tag["tag"] for tag in shown]
    assert len(set(names)) == len(names)
    assert answer.other.size == 0
    if not asked:
        assert sorted(names) == sorted(view.snapshot.names)
    assert [tag["tag"] for tag in shown if tag["broad"]] == [BROAD]
    assert all(view.cluster_of[view.index[normalise(tag["tag"])]] == tag["cluster"] for tag in shown)


@pytest.mark.parametrize("by", ["query", "clusters"])
def test_four_groups_of_the_corpus_are_its_topics(view, by):
    answer = cloud(view, NOTHING, limit=100, groups=4, specificity=0.5, by=by)
    grouped = {frozenset(tag["tag"] for tag in group["tags"]) - {BROAD} for group in answer.groups}
    assert grouped == set(map(frozenset, TOPICS.values()))


@pytest.mark.parametrize("by", ["query", "clusters"])
@pytest.mark.parametrize("asked", [[], ["payment"], ["payment", "rain"]])
def test_groups_come_by_relevance_and_tags_by_weight(view, by, asked):
    answer = cloud(view, exact_tags(view, asked), limit=100, groups=6, specificity=0.5, by=by)
    assert sum(group["weight"] for group in answer.groups) == pytest.approx(1.0, abs=1e-3)
    for group in answer.groups:
        weights = [tag["weight"] for tag in group["tags"]]
        assert weights == sorted(weights, reverse=True)
        assert sum(share["share"] for share in group["clusters"]) == pytest.approx(1.0, abs=1e-3)
    order = [(group["also"], group["common"], -group["relevance"]) for group in answer.groups]
    assert order == sorted(order)
    assert sum(group["also"] for group in answer.groups) <= (by == "query")


@pytest.mark.parametrize("by", ["query", "clusters"])
def test_a_group_is_named_after_tags_it_shows_and_its_key_is_its_own(view, by):
    for tag in view.snapshot.names:
        answer = cloud(view, exact_tags(view, [tag]), limit=30, groups=9, specificity=0.5, by=by)
        keys = [group["key"] for group in answer.groups]
        assert len(set(keys)) == len(keys)
        for group in answer.groups:
            names = group["label"].split(", ")
            assert set(names) <= {tag["tag"] for tag in group["tags"]}
            assert names[0] == group["key"]
            assert not group["edited"]


@pytest.fixture
def edited(view):
    """The view with an editor's label for the cluster of payment."""
    cluster = view.cluster_of[view.index["payment"]]
    labelled = tuple(
        replace(each, label=("Money matters",), edited=True) if each.id == cluster else each
        for each in view.snapshot.clusters
    )
    return View(snapshot_at(clusters=labelled))


def test_an_editors_label_names_only_a_group_of_that_cluster_alone(edited):
    one = cloud(edited, exact_tags(edited, ["payment"]), limit=30, groups=4, specificity=0.5).groups
    assert [(group["label"], group["edited"]) for group in one if group["edited"]] == [("Money matters", True)]
    assert len(one[0]["clusters"]) == 1
    assert one[0]["key"] in {tag["tag"] for tag in one[0]["tags"]}
    joined = cloud(edited, exact_tags(edited, ["payment"]), limit=30, groups=1, specificity=0.5).groups
    assert not any(group["edited"] for group in joined)
    assert "Money matters" not in joined[0]["label"]


def test_of_several_groups_of_one_cluster_the_heaviest_has_the_editors_label(edited):
    members = edited.members[edited.cluster_of[edited.index["payment"]]]
    halves = Grouping(
        [[0, 1, 2], [3, 4]], [[0, 1, 2], [3, 4]], [[0, 1, 2], [3, 4]], [False, False], [False, False], [1.0, 0.5]
    )
    groups = cloud_groups(edited, Ranking(members[:5], np.linspace(1.0, 0.5, 5), 0, 0.0), halves)
    assert [group["edited"] for group in groups] == [True, False]
    assert groups[1]["label"] == ", ".join(tag["tag"] for tag in groups[1]["tags"])


@pytest.mark.parametrize("label", ["Money matters", "payment", "Cash, coins"])
def test_a_label_is_edited_exactly_where_the_corpora_file_gives_one(view, label):
    """Even if it is a tag of the cluster, or reads like several."""
    snapshot = view.snapshot
    labelled = label_clusters(
        view.company, snapshot.partition, snapshot.counts, snapshot.names, snapshot.keys, edited={"Payment": label}
    )
    stored = published(clusters=labelled)
    declared = View(decode(stored.meta, stored.arrays))
    assert declared.edited_labels == {view.cluster_of[view.index["payment"]]: label}
    assert view.edited_labels == {}


def test_one_rule_names_concepts_branches_and_groups_at_any_k(view):
    """As they are stored, in the tree, in the API's partitions and in what `cotag cluster -k` prints."""
    for cluster in view.clusters.values():
        assert cluster.name == view.label(view.members[cluster.id])
    for k in (1, 2, len(view.clusters), 9, len(TAGS)):
        listed = {each.label for each in clusters(view, k, limit=None, offset=0).clusters}
        assert listed == {leaf.label for leaf in of_tags(view, k).leaves}
        if k >= len(view.clusters):  # below, the service names branches by their concepts
            assert listed == {each.name for each in cut_snapshot(view.snapshot, k).clusters}


def test_a_branch_of_several_concepts_has_one_word_of_each(view):
    """And of those with most documents first, so that its name covers as many as possible."""
    tags = sorted(range(len(TAGS)), key=view.count_rank.__getitem__)
    words = view.label(tags).split(", ")
    concepts = [view.cluster_of[view.index[normalise(word)]] for word in words]
    assert len(set(concepts)) == len(words) == 3
    documents = dict(zip(view.snapshot.partition.ids, view.snapshot.cluster_documents, strict=True))
    assert [documents[each] for each in concepts] == sorted(documents.values(), reverse=True)[:3]


def test_a_branch_is_named_after_its_own_tags_unless_an_editor_named_all_of_it(view, edited):
    cluster = view.cluster_of[view.index["payment"]]
    members = view.members[cluster]
    assert edited.label(members) == "Money matters"
    assert edited.label(members[1:]) == view.label(members[1:])
    for k in range(1, len(TAGS) + 1):
        for node in view.tree.nodes_at(k):
            tags = sorted(view.tree.items_of(view.tree.span(node)), key=view.count_rank.__getitem__)
            names = view.label(tags).split(", ")
            assert set(names) <= {TAGS[tag] for tag in tags}
            assert len(names) == len(set(names)) >= min(len(tags), 1)


def test_a_tag_without_relations_gives_an_empty_cloud():
    related = snapshot_at().related
    lonely = View(snapshot_at(related=replace(related, starts=np.zeros_like(related.starts))))
    answer = cloud(lonely, exact_tags(lonely, ["cash"]), limit=10, groups=8, specificity=0.5)
    assert answer.groups == []
    assert answer.query.tags == ["cash"]


def test_a_cloud_says_what_the_limit_left_out(view):
    answer = cloud(view, NOTHING, limit=2, groups=8, specificity=0.5)
    assert answer.other.size == len(TAGS) - 2
    shown = sum(counts()[tag] for tag in by_count()[:2])
    assert answer.other.share == pytest.approx(1 - shown / sum(counts().values()), abs=1e-4)
    assert cloud(view, NOTHING, limit=len(TAGS), groups=8, specificity=0.5).other.size == 0


@pytest.mark.parametrize(
    ("text", "expected", "how"),
    [("páyment", "payment", "spelling"), ("credit crad", "credit card", "spelling"), ("ﬁre snow", "snow", "exact")],
)
def test_accents_ligatures_and_phrases_with_mistakes(view, text, expected, how):
    part = parse_text(view, text).parts[-1]
    assert (part.tag, part.how) == (expected, how)


def test_words_that_are_no_tags_come_with_what_may_have_been_meant(view):
    found = parse_text(view, "cash paimen")
    assert found.ignored == ("paimen",)
    assert [(meant.text, meant.tags[0]) for meant in found.suggestions] == [("paimen", "payment")]


def test_a_query_of_many_unknown_words_is_answered_quickly(view):
    found = parse_text(view, "cash " + "qwertzuiop " * 44)
    assert len(found.ignored) == 44
    assert len(found.suggestions) <= 8


def test_did_you_mean_compares_whole_words(view):
    """Short tags that occur inside a word are no suggestions."""
    assert suggest(view, "paimen")[0] == "payment"
    assert suggest(view, "brainstormed") == [], "neither rain nor storm"
    assert "piano" in suggest(view, "paino concerto")
