import numpy as np

from cocluster.engine.kernel import Bools, Ints, Longs, Singles, kernel

LARGEST_STEP = 1.5
"""In logits. Where a tag is rare, the curvature at the beginning promises far too much."""

LOWEST, HIGHEST = 1e-30, 1e30
"""Of odds: e^−69 and e^69."""


@kernel
def multiply(odds, documents, step):
    """Odds of some documents times eˢᵗᵉᵖ."""
    factor = np.float32(np.exp(step))
    for place in range(len(documents)):
        document = documents[place]
        odds[document] = min(max(odds[document] * factor, np.float32(LOWEST)), np.float32(HIGHEST))


@kernel
def slope(odds, has, times, documents):
    """Derivatives of −log likelihood by a weight that stands in these documents."""
    first = np.float64(0.0)
    second = np.float64(0.0)
    for place in range(len(documents)):
        document = documents[place]
        p = odds[document] / (np.float32(1.0) + odds[document])
        first += times[document] * (p - has[document])
        second += times[document] * p * (np.float32(1.0) - p)
    return first, second


@kernel
def bounded(step):
    """A step of at most LARGEST_STEP."""
    return min(max(step, -LARGEST_STEP), LARGEST_STEP)


@kernel
def touched_by(starts, documents, tags, is_touched, touched):
    """Which documents have one of the tags; how many."""
    count = 0
    for tag in tags:
        for entry in range(starts[tag], starts[tag + 1]):
            document = documents[entry]
            if not is_touched[document]:
                is_touched[document] = True
                touched[count] = document
                count += 1
    return count


@kernel
def settle(given, tags, has, touched, apart, apart_with, penalty, tolerance, sweeps, weights, base, odds, last):
    """Newton's step for one weight after another, then for the prior, which is returned.

    The penalty draws weights to 0 and the prior to `base`. Documents with none of the tags are all alike: `apart` is
    how many there are, `apart_with` how many of them have the tag that is looked for. Done when no weight moves by
    more than the tolerance; one that moved by a fifth of it is passed over in three of four later sweeps.
    """
    starts, documents, times = given
    prior = base
    for sweep in range(sweeps):
        moved = 0.0
        for number in range(len(tags)):
            if sweep > 2 and sweep % 4 and last[number] < 0.2 * tolerance:
                continue
            mine = documents[starts[tags[number]] : starts[tags[number] + 1]]
            first, second = slope(odds, has, times, mine)
            step = bounded(-(first + penalty * weights[number]) / (second + penalty))
            last[number] = abs(step)
            moved = max(moved, last[number])
            weights[number] += np.float32(step)
            multiply(odds, mine, step)
        first, second = slope(odds, has, times, touched)
        p = 1.0 / (1.0 + np.exp(-prior))
        first += apart * p - apart_with + penalty * (prior - base)
        second += apart * p * (1.0 - p) + penalty
        step = bounded(-first / second)
        prior += step
        multiply(odds, touched, step)
        if moved < tolerance:
            break
    return prior


@kernel
def descend(
    given: tuple[Longs, Ints, Singles],
    near: tuple[Longs, Ints],
    begin: int,
    end: int,
    penalty: float,
    tolerance: float,
    sweeps: int,
    weights: Singles,
    prior: Singles,
) -> None:
    """The logistic regressions of the tags from `begin` to `end`; weights by target, those of j at near[0][j:j + 2]."""
    starts, documents, times = given
    n = len(times)
    total = np.sum(times.astype(np.float64))
    odds: Singles = np.empty(n, dtype=np.float32)
    has: Singles = np.zeros(n, dtype=np.float32)
    is_touched: Bools = np.zeros(n, dtype=np.bool_)
    touched: Ints = np.empty(n, dtype=np.int32)
    last = np.empty(max(len(starts), n), dtype=np.float64)
    for target in range(begin, end):
        mine = documents[starts[target] : starts[target + 1]]
        has[mine] = np.float32(1.0)
        of = slice(near[0][target], near[0][target + 1])
        tags = near[1][of]
        count = touched_by(starts, documents, tags, is_touched, touched)
        with_tag = 0.0
        apart_with = 0.0
        for document in mine:
            with_tag += times[document]
            if not is_touched[document]:
                apart_with += times[document]
        apart = total
        for place in range(count):
            apart -= times[touched[place]]
        base = np.log((with_tag + 0.5) / (total - with_tag + 0.5))
        odds[touched[:count]] = np.float32(np.exp(base))
        prior[target] = settle(
            given,
            tags,
            has,
            touched[:count],
            apart,
            apart_with,
            penalty,
            tolerance,
            sweeps,
            weights[of],
            base,
            odds,
            last,
        )
        has[mine] = np.float32(0.0)
        is_touched[touched[:count]] = False
