import numba
import numpy as np


@numba.njit(cache=True)
def gather_votes(lists, tags, hidden, blend, votes, touched, is_touched):
    """Add up the weights of all `tags` but the one at place `hidden`; how many tags have votes.  math.md (16)

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


@numba.njit(cache=True)
def rank_of(hidden, votes, touched, in_query, factor, best, best_tags):
    """The rank of a tag among those with votes for them, 0 without; the first ones go to `best_tags`, and how many."""
    mine = votes[hidden] * factor[hidden]
    rank = 1
    filled = 0
    for other in touched:
        if in_query[other] or votes[other] <= 0:
            continue
        score = votes[other] * factor[other]
        if score > mine or (score == mine and other < hidden):
            rank += 1
        if filled < len(best) or score > best[-1]:
            place = min(filled, len(best) - 1)
            filled = place + 1
            while place > 0 and best[place - 1] < score:
                best[place] = best[place - 1]
                best_tags[place] = best_tags[place - 1]
                place -= 1
            best[place] = score
            best_tags[place] = other
    return (rank if votes[hidden] > 0 else 0), filled


@numba.njit(cache=True)
def rank_hidden(lists, starts, documents, blends, factors, first, ranks, seen):
    """Fill `ranks` (tags of documents × blends × tilts) and `seen` (blends × tilts × tags)."""
    m = factors.shape[1]
    votes = np.zeros(m, dtype=np.float32)
    touched = np.empty(m, dtype=np.int64)
    is_touched = np.zeros(m, dtype=np.bool_)
    in_query = np.zeros(m, dtype=np.bool_)
    best = np.empty(first, dtype=np.float64)
    best_tags = np.empty(first, dtype=np.int64)
    for document in range(len(starts) - 1):
        tags = documents[starts[document] : starts[document + 1]]
        in_query[tags] = True
        for hidden in range(len(tags)):
            in_query[tags[hidden]] = False
            for blend in range(len(blends)):
                count = gather_votes(lists, tags, hidden, blends[blend], votes, touched, is_touched)
                for tilt in range(len(factors)):
                    rank, filled = rank_of(
                        tags[hidden], votes, touched[:count], in_query, factors[tilt], best, best_tags
                    )
                    ranks[starts[document] + hidden, blend, tilt] = rank
                    seen[blend, tilt][best_tags[:filled]] = True
                votes[touched[:count]] = 0.0
                is_touched[touched[:count]] = False
            in_query[tags[hidden]] = True
        in_query[tags] = False
