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
def gather_votes(lists, tags, hidden, blend, votes, touched, is_touched):
    """Add up the weights of all `tags` but the one at place `hidden`; how many tags have votes.  suggestions.md (4)

    The same operations in the same order as snapshot.ranking.votes, so that the two agree to the last bit.
    """
    starts, indices, alone, together = lists
    size = len(tags) - 1
    share = np.float32((size - 1) / (size - 1 + blend)) if size > 1 else np.float32(0.0)
    rest = np.float32(1.0) - share
    count = 0
    for place in range(len(tags)):
        if place == hidden:
            continue
        for entry in range(starts[tags[place]], starts[tags[place] + 1]):
            other = indices[entry]
            if not is_touched[other]:
                is_touched[other] = True
                touched[count] = other
                count += 1
            if size > 1:
                votes[other] += share * together[entry] + rest * alone[entry]
            else:
                votes[other] += alone[entry]
    return count


@kernel
def keep_positive(votes, touched, in_query, tags, scores):
    """The tags outside the query with more votes for than against them, and those votes; how many."""
    count = 0
    for tag in touched:
        if votes[tag] > 0 and not in_query[tag]:
            tags[count] = tag
            scores[count] = votes[tag]
            count += 1
    return count


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
    lists: tuple[Ints, Ints, Singles, Singles],
    starts: Longs,
    documents: Ints,
    blends: Floats,
    factors: Floats,
    first: int,
    ranks: Ints,
    seen: Bools,
) -> None:
    """Fill `ranks` (tags of documents × blends × tilts) and `seen` (blends × tilts × tags)."""
    m = factors.shape[1]
    votes = np.zeros(m, dtype=np.float32)
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
            in_query[tags[hidden]] = False
            for blend in range(len(blends)):
                count = gather_votes(lists, tags, hidden, blends[blend], votes, touched, is_touched)
                kept = keep_positive(votes, touched[:count], in_query, candidates, scores)
                for tilt in range(len(factors)):
                    factor = factors[tilt]
                    mine = votes[tags[hidden]] * factor[tags[hidden]]
                    rank, filled = rank_of(
                        tags[hidden], mine, candidates[:kept], scores[:kept], factor, best, best_tags
                    )
                    ranks[starts[document] + hidden, blend, tilt] = rank if votes[tags[hidden]] > 0 else 0
                    seen[blend, tilt][best_tags[:filled]] = True
                votes[touched[:count]] = 0.0
                is_touched[touched[:count]] = False
            in_query[tags[hidden]] = True
        in_query[tags] = False
