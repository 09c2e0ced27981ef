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
    """Block = [G_NN | G_N,target] for the members N, G sparse; rows of the commonest tags are looked up dense."""
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
def gather_votes(lists, tags, hidden, votes, logits, touched, is_touched):
    """Add up the weights of all `tags` but the one at place `hidden`; how many tags have votes.

    suggestions.md (3), (4), (5). The same operations in the same order as snapshot.ranking, so that the two agree.
    """
    starts, indices, alone, together, evidence, prior = lists
    weights = alone if len(tags) == 2 else together
    count = 0
    for place in range(len(tags)):
        if place == hidden:
            continue
        for entry in range(starts[tags[place]], starts[tags[place] + 1]):
            other = indices[entry]
            if not is_touched[other]:
                is_touched[other] = True
                touched[count] = other
                logits[other] = prior[other]
                count += 1
            votes[other] += weights[entry]
            logits[other] += evidence[entry]
    return count


@kernel
def keep_positive(votes, logits, trust, touched, in_query, tags, scores):
    """The tags outside the query with more votes for than against them, and their scores; how many.

    suggestions.md (6), without the tilt.
    """
    count = 0
    for tag in touched:
        if votes[tag] > 0 and not in_query[tag]:
            tags[count] = tag
            scores[count] = joined(votes[tag], logits[tag], trust)
            count += 1
    return count


@kernel
def joined(votes, logit, trust):
    """Votes and odds, each to its power."""
    if trust == 0:
        return np.float64(votes)
    return np.exp((1.0 - trust) * np.log(np.float64(votes)) + trust * np.float64(logit))


@kernel
def rank_of(hidden, mine, tags, scores, factor, best, best_tags):
    """The rank of a tag with score `mine` among others; the first ones go to `best_tags`, and how many they are."""
    rank = 1
    filled = 0
    for number in range(len(tags)):
        score = scores[number] * factor[tags[number]]
        if score > mine or (score == mine and tags[number] < hidden):
            rank += 1
        if filled < len(best) or score > best[-1]:
            place = min(filled, len(best) - 1)
            filled = place + 1
            while place > 0 and best[place - 1] < score:
                best[place] = best[place - 1]
                best_tags[place] = best_tags[place - 1]
                place -= 1
            best[place] = score
            best_tags[place] = tags[number]
    return rank, filled


@kernel
def rank_hidden(
    lists: tuple[Ints, Ints, Singles, Singles, Singles, Singles],
    starts: Longs,
    documents: Ints,
    trusts: Floats,
    factors: Floats,
    first: int,
    ranks: Ints,
    seen: Bools,
) -> None:
    """Fill `ranks` (tags of documents × trusts × tilts) and `seen` (trusts × tilts × tags).

    The factors are those of queries of one tag, then those of longer ones.
    """
    m = factors.shape[2]
    votes = np.zeros(m, dtype=np.float32)
    logits = np.zeros(m, dtype=np.float32)
    touched = np.empty(m, dtype=np.int64)
    is_touched = np.zeros(m, dtype=np.bool_)
    in_query = np.zeros(m, dtype=np.bool_)
    candidates = np.empty(m, dtype=np.int32)
    scores = np.empty(m, dtype=np.float64)
    best = np.empty(first, dtype=np.float64)
    best_tags = np.empty(first, dtype=np.int32)
    for document in range(len(starts) - 1):
        tags = documents[starts[document] : starts[document + 1]]
        in_query[tags] = True
        for hidden in range(len(tags)):
            target = tags[hidden]
            in_query[target] = False
            alone = len(tags) == 2
            count = gather_votes(lists, tags, hidden, votes, logits, touched, is_touched)
            found = votes[target] > 0
            for number in range(len(trusts)):
                trust = 0.0 if alone else trusts[number]
                kept = keep_positive(votes, logits, trust, touched[:count], in_query, candidates, scores)
                mine = joined(votes[target], logits[target], trust) if found else 0.0
                for tilt in range(factors.shape[1]):
                    factor = factors[0 if alone else 1, tilt]
                    rank, filled = rank_of(
                        target, mine * factor[target], candidates[:kept], scores[:kept], factor, best, best_tags
                    )
                    ranks[starts[document] + hidden, number, tilt] = rank if found else 0
                    seen[number, tilt][best_tags[:filled]] = True
            votes[touched[:count]] = 0.0
            is_touched[touched[:count]] = False
            in_query[target] = True
        in_query[tags] = False
