"""Ranks hidden tags among the suggestions for a query, compiled.

Most tags score far above or far below the hidden one. A quick logarithm of the score tells these; only for tags within
MARGIN of the hidden one the score itself is computed.
"""

import numpy as np

from cocluster.engine.kernel import Bools, Floats, Ints, Longs, Singles, bound_kernel, kernel

MARGIN = np.float32(2e-4)
"""More than a quick logarithm of a score can be wrong by: 4e-6, and the rounding of sums below 200 to float32."""

NOWHERE = np.float32(-1e30)
"""The quick logarithm of tags that are not suggested."""

LOG2_E = np.float32(1.4426950408889634)


@bound_kernel
def quick_logs(votes, in_query, logs):
    """log₂ of the votes, within 4e-6; NOWHERE for tags of the query and tags without positive votes."""
    for tag in range(len(votes)):
        bits = np.float32(votes[tag]).view(np.int32)
        whole = np.float32((bits >> np.int32(23)) - np.int32(127))
        x = np.int32((bits & np.int32(0x7FFFFF)) | np.int32(0x3F800000)).view(np.float32) - np.float32(1.0)
        part = np.float32(0.11929823458194733) + x * np.float32(-0.025123203173279762)
        part = np.float32(0.45552709698677063) + x * (np.float32(-0.27462324500083923) + x * part)
        part = np.float32(1.4424753189086914) + x * (np.float32(-0.7175578474998474) + x * part)
        log = whole + (np.float32(2.1237408418528503e-06) + x * part)
        logs[tag] = log if votes[tag] > 0 and not in_query[tag] else NOWHERE


@bound_kernel
def quick_scores(logs, logits, logistic_weight, keys):
    """log₂ of votes and logistic odds, each to its power, within half of MARGIN.  suggestions.md (6)"""
    linear, logistic = np.float32(1.0 - logistic_weight), np.float32(logistic_weight) * LOG2_E
    for tag in range(len(logs)):
        keys[tag] = NOWHERE if logs[tag] == NOWHERE else linear * logs[tag] + logistic * logits[tag]


@kernel
def add_votes(lists, weights, tags, votes, logits):
    """Add the weights of `tags` to the votes and the logits of all tags.

    suggestions.md (3), (4), (5). The same operations in the same order as tagmodel.RelatedTags, so that the two agree.
    """
    starts, indices, _, _, evidence, _ = lists
    for tag in tags:
        for entry in range(starts[tag], starts[tag + 1]):
            other = indices[entry]
            votes[other] += weights[entry]
            logits[other] += evidence[entry]


@kernel
def combined_odds(votes, logit, logistic_weight):
    """The votes and the logistic odds, each to its power.  suggestions.md (6), without the popularity"""
    if logistic_weight == 0:
        return np.float64(votes)
    return np.exp((1.0 - logistic_weight) * np.log(np.float64(votes)) + logistic_weight * np.float64(logit))


@kernel
def count_above(keys, quick_factors, low, high):
    """How many tags score above `high`, and how many from `low` to `high`."""
    above = np.int32(0)
    reached = np.int32(0)
    for tag in range(len(keys)):
        key = keys[tag] + quick_factors[tag]
        above += np.int32(key > high)
        reached += np.int32(key >= low)
    return above, reached - above


@kernel
def count_near(hidden, keys, quick_factors, low, high, votes, logits, logistic_weight, factors, exponent):
    """How many tags that score from `low` to `high` rank before the hidden one: by score, then by number."""
    mine = combined_odds(votes[hidden], logits[hidden], logistic_weight) * factors[hidden, exponent]
    before = 0
    for tag in range(len(keys)):
        key = keys[tag] + quick_factors[tag]
        if low <= key <= high and tag != hidden:
            score = combined_odds(votes[tag], logits[tag], logistic_weight) * factors[tag, exponent]
            before += score > mine or (score == mine and tag < hidden)
    return before


@kernel
def insert(score, tag, filled, best, best_tags):
    """Put a tag among the best if it belongs there; returns how many there are."""
    if filled == len(best) and score <= best[-1]:
        return filled
    place = min(filled, len(best) - 1)
    filled = place + 1
    while place > 0 and best[place - 1] < score:
        best[place] = best[place - 1]
        best_tags[place] = best_tags[place - 1]
        place -= 1
    best[place] = score
    best_tags[place] = tag
    return filled


@kernel
def mark_first(keys, quick_factors, votes, logits, logistic_weight, factors, exponent, best, best_tags, seen):
    """Mark the tags that are ranked first, as many as `best` has places."""
    filled = 0
    for tag in range(len(keys)):
        if keys[tag] > NOWHERE:
            filled = insert(np.float64(keys[tag] + quick_factors[tag]), tag, filled, best, best_tags)
    if filled == 0:
        return
    low = best[filled - 1] - 2.0 * MARGIN
    filled = 0
    for tag in range(len(keys)):
        if keys[tag] > NOWHERE and keys[tag] + quick_factors[tag] >= low:
            score = combined_odds(votes[tag], logits[tag], logistic_weight) * factors[tag, exponent]
            filled = insert(score, tag, filled, best, best_tags)
    for place in range(filled):
        seen[best_tags[place]] = True


@kernel
def rank_hidden(
    lists: tuple[Ints, Ints, Singles, Singles, Singles, Singles],
    starts: Longs,
    documents: Ints,
    asked: Bools,
    logistic_weights: Floats,
    factors: Floats,
    quick_factors: Singles,
    first: int,
    ranks: Ints,
    seen: Bools,
) -> None:
    """Fill `ranks` (tags of documents × weights × exponents) and, with `first`, `seen` (weights × exponents × tags).

    The factors (tags × exponents) are those of queries of one tag, then those of longer ones; the quick factors are
    their logarithms to base 2, exponents × tags.
    """
    m, exponents = factors.shape[1:]
    votes_before, logits_before = np.empty(m, dtype=np.float32), np.empty(m, dtype=np.float32)
    votes, logits = np.empty(m, dtype=np.float32), np.empty(m, dtype=np.float32)
    logs, keys = np.empty(m, dtype=np.float32), np.empty(m, dtype=np.float32)
    in_query = np.zeros(m, dtype=np.bool_)
    best, best_tags = np.empty(first, dtype=np.float64), np.empty(first, dtype=np.int32)
    for document in range(len(starts) - 1):
        tags = documents[starts[document] : starts[document + 1]]
        longer = int(len(tags) != 2)
        factor, quick = factors[longer], quick_factors[longer]
        weights = lists[3] if longer else lists[2]
        in_query[tags] = True
        votes_before[:] = 0.0
        logits_before[:] = lists[5]
        for hidden in range(len(tags)):
            target = tags[hidden]
            if not asked[starts[document] + hidden]:
                add_votes(lists, weights, tags[hidden : hidden + 1], votes_before, logits_before)
                continue
            in_query[target] = False
            votes[:] = votes_before  # the tags before the hidden one, then those after it
            logits[:] = logits_before
            add_votes(lists, weights, tags[hidden + 1 :], votes, logits)
            quick_logs(votes, in_query, logs)
            for number in range(len(logistic_weights)):
                logistic_weight = logistic_weights[number] if longer else 0.0
                quick_scores(logs, logits, logistic_weight, keys)
                for exponent in range(exponents):
                    if votes[target] > 0:
                        mine = keys[target] + quick[exponent, target]
                        low, high = mine - MARGIN, mine + MARGIN
                        above, near = count_above(keys, quick[exponent], low, high)
                        if near > 1:  # others than the hidden tag itself
                            above += count_near(
                                target, keys, quick[exponent], low, high, votes, logits, logistic_weight, factor,
                                exponent,
                            )  # fmt: skip
                        ranks[starts[document] + hidden, number, exponent] = 1 + above
                    if first:
                        mark_first(
                            keys, quick[exponent], votes, logits, logistic_weight, factor, exponent, best, best_tags,
                            seen[number, exponent],
                        )  # fmt: skip
            add_votes(lists, weights, tags[hidden : hidden + 1], votes_before, logits_before)
            in_query[target] = True
        in_query[tags] = False
