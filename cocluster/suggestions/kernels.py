"""Loops over lists of suggestions, compiled."""

import numpy as np

from cocluster.engine.kernel import Bools, Floats, Ints, Longs, Singles, kernel


@kernel
def fill_block(
    starts: Ints,
    indices: Ints,
    values: Singles,
    common: Singles,
    common_row: Longs,
    members: Ints,
    target: int,
    place: Longs,
    block: Singles,
) -> None:
    """Block = [G_NN | G_N,target] for the members N, G sparse; rows of the commonest tags are dense."""
    size = len(members)
    for number in range(size):
        place[members[number]] = number
    place[target] = size
    block[:] = 0.0
    for number in range(size):
        row = common_row[members[number]]
        if row >= 0:
            for other in range(size):
                block[number, other] = common[row, members[other]]
            block[number, size] = common[row, target]
            continue
        for entry in range(starts[members[number]], starts[members[number] + 1]):
            column = place[indices[entry]]
            if column >= 0:
                block[number, column] = values[entry]
    place[members] = -1
    place[target] = -1


@kernel
def nth_smallest(values, place):
    """The value that would stand at `place` if the values, which change their order, were sorted."""
    low, high = 0, len(values) - 1
    while low < high:
        pivot = values[(low + high) // 2]
        left, right = low, high
        while left <= right:
            while values[left] < pivot:
                left += 1
            while values[right] > pivot:
                right -= 1
            if left <= right:
                values[left], values[right] = values[right], values[left]
                left += 1
                right -= 1
        if place <= right:
            high = right
        elif place >= left:
            low = left
        else:
            break
    return values[place]


@kernel
def mark_largest(values: Singles, shrink: Singles, count: int, marked: Bools) -> None:
    """Mark the `count` largest of each row, as each row of `shrink` scales them: above 0, with ties of the last."""
    rows, m = values.shape
    scaled = np.empty(m, dtype=np.float32)
    for row in range(rows):
        for exponent in range(len(shrink)):
            filled = 0
            for tag in range(m):
                value = values[row, tag] * shrink[exponent, tag]
                if value > 0:
                    scaled[filled] = value
                    filled += 1
            bound = np.float32(0.0)
            if filled > count:
                bound = nth_smallest(scaled[:filled], filled - count)
            for tag in range(m):
                value = values[row, tag] * shrink[exponent, tag]
                if value > 0 and value >= bound:
                    marked[row, tag] = True


@kernel
def add_votes(lists, weights, tags, sums):
    """Add the weights of `tags` to the votes and the logits of all tags, which are the columns of `sums`.

    suggestions.md (3), (4), (5). The same operations in the same order as tagmodel.RelatedTags, so that the two agree.
    """
    starts, indices, _, _, evidence, _ = lists
    for tag in tags:
        for entry in range(starts[tag], starts[tag + 1]):
            other = indices[entry]
            sums[other, 0] += weights[entry]
            sums[other, 1] += evidence[entry]


@kernel
def keep_positive(sums, in_query, tags):
    """Write the tags outside the query with positive votes to `tags`; returns how many."""
    count = 0
    for tag in range(len(sums)):
        tags[count] = tag  # no branch: its outcome cannot be predicted
        count += (sums[tag, 0] > 0) & ~in_query[tag]
    return count


@kernel
def combined_odds(votes, log, logit, logistic_weight):
    """The votes and the logistic odds, each to its power.  suggestions.md (6), without the popularity"""
    if logistic_weight == 0:
        return np.float64(votes)
    return np.exp((1.0 - logistic_weight) * log + logistic_weight * np.float64(logit))


@kernel
def count_above(hidden, mine, tags, scores, factors, above):
    """For each exponent, how many tags rank before the hidden one, whose scores are `mine`."""
    above[:] = 0
    for number in range(len(tags)):
        if tags[number] == hidden:
            continue
        score = scores[number]
        factor = factors[tags[number]]
        if tags[number] < hidden:
            for exponent in range(len(mine)):
                above[exponent] += score * factor[exponent] >= mine[exponent]
        else:
            for exponent in range(len(mine)):
                above[exponent] += score * factor[exponent] > mine[exponent]


@kernel
def write_best(tags, scores, factors, exponent, best, best_tags):
    """Write the tags with the highest scores to `best_tags`; returns how many."""
    filled = 0
    for number in range(len(tags)):
        score = scores[number] * factors[tags[number], exponent]
        if filled < len(best) or score > best[-1]:
            place = min(filled, len(best) - 1)
            filled = place + 1
            while place > 0 and best[place - 1] < score:
                best[place] = best[place - 1]
                best_tags[place] = best_tags[place - 1]
                place -= 1
            best[place] = score
            best_tags[place] = tags[number]
    return filled


@kernel
def rank_hidden(
    lists: tuple[Ints, Ints, Singles, Singles, Singles, Singles],
    starts: Longs,
    documents: Ints,
    logistic_weights: Floats,
    factors: Floats,
    first: int,
    ranks: Ints,
    seen: Bools,
) -> None:
    """Fill `ranks` (tags of documents × weights × exponents) and, with `first`, `seen` (weights × exponents × tags).

    The factors (tags × exponents) are those of queries of one tag, then those of longer ones.
    """
    m, exponents = factors.shape[1:]
    joins = np.any(logistic_weights > 0)
    before = np.zeros((m, 2), dtype=np.float32)
    sums = np.empty((m, 2), dtype=np.float32)
    in_query = np.zeros(m, dtype=np.bool_)
    candidates = np.empty(m, dtype=np.int32)
    logs = np.empty(m, dtype=np.float64)
    scores = np.empty(m, dtype=np.float64)
    mine = np.empty(exponents, dtype=np.float64)
    above = np.empty(exponents, dtype=np.int64)
    best = np.empty(first, dtype=np.float64)
    best_tags = np.empty(first, dtype=np.int32)
    for document in range(len(starts) - 1):
        tags = documents[starts[document] : starts[document + 1]]
        alone = len(tags) == 2
        factor = factors[0 if alone else 1]
        weights = lists[2] if alone else lists[3]
        in_query[tags] = True
        before[:, 0] = 0.0
        before[:, 1] = lists[5]
        for hidden in range(len(tags)):
            target = tags[hidden]
            in_query[target] = False
            sums[:] = before  # the tags before the hidden one, then those after it
            add_votes(lists, weights, tags[hidden + 1 :], sums)
            count = keep_positive(sums, in_query, candidates)
            if joins and not alone:
                for place in range(count):
                    logs[place] = np.log(np.float64(sums[candidates[place], 0]))
            for number in range(len(logistic_weights)):
                logistic_weight = 0.0 if alone else logistic_weights[number]
                for place in range(count):
                    votes, logit = sums[candidates[place]]
                    scores[place] = combined_odds(votes, logs[place], logit, logistic_weight)
                votes, logit = sums[target]
                if votes > 0:
                    mine[:] = combined_odds(votes, np.log(np.float64(votes)), logit, logistic_weight) * factor[target]
                    count_above(target, mine, candidates[:count], scores[:count], factor, above)
                    ranks[starts[document] + hidden, number] = 1 + above
                if first:
                    for exponent in range(exponents):
                        filled = write_best(candidates[:count], scores[:count], factor, exponent, best, best_tags)
                        seen[number, exponent][best_tags[:filled]] = True
            add_votes(lists, weights, tags[hidden : hidden + 1], before)
            in_query[target] = True
        in_query[tags] = False
