"""Coordinate descent for many logistic regressions, compiled."""

import numpy as np

from cocluster.engine.kernel import Ints, Longs, Singles, kernel, sum_kernel

LARGEST_STEP = 1.5
"""In logits. For a rare tag, the curvature at the start suggests far too long a step."""

LOWEST, HIGHEST = 1e-30, 1e30
"""Of odds: e^−69 and e^69."""


@kernel
def multiply(odds, documents, step):
    """Multiply the odds of these documents by eˢᵗᵉᵖ."""
    factor = np.float32(np.exp(step))
    for place in range(len(documents)):
        document = documents[place]
        odds[document] = min(max(odds[document] * factor, np.float32(LOWEST)), np.float32(HIGHEST))


@kernel
def multiply_all(odds, step):
    """Multiply all odds by eˢᵗᵉᵖ."""
    factor = np.float32(np.exp(step))
    for place in range(len(odds)):
        odds[place] = min(max(odds[place] * factor, np.float32(LOWEST)), np.float32(HIGHEST))


@kernel
def slope(odds, times, documents, has):
    """Derivatives of −log likelihood by a weight, over these documents, which all have the tag or all lack it."""
    first = np.float64(0.0)
    second = np.float64(0.0)
    for place in range(len(documents)):
        document = documents[place]
        wrong = (np.float32(1.0) if has else odds[document]) / (np.float32(1.0) + odds[document])
        first += times[document] * wrong
        second += times[document] * wrong * (np.float32(1.0) - wrong)
    return (-first if has else first), second


@sum_kernel
def slope_all(odds, times, has):
    """Derivatives of −log likelihood by the prior, over all documents, which all have the tag or all lack it."""
    first = np.float64(0.0)
    second = np.float64(0.0)
    for place in range(len(odds)):
        wrong = (np.float32(1.0) if has else odds[place]) / (np.float32(1.0) + odds[place])
        first += times[place] * wrong
        second += times[place] * wrong * (np.float32(1.0) - wrong)
    return (-first if has else first), second


@kernel
def clip_step(step):
    """A step of at most LARGEST_STEP."""
    return min(max(step, -LARGEST_STEP), LARGEST_STEP)


@kernel
def documents_by_number(rows, documents, number_of, count):
    """Which of these documents have the tags with numbers 0 … count − 1: those of number i at starts[i:i + 2]."""
    starts = np.zeros(count + 1, dtype=np.int64)
    for document in documents:
        for entry in range(rows[0][document], rows[0][document + 1]):
            number = number_of[rows[1][entry]]
            if number >= 0:
                starts[number + 1] += 1
    for number in range(count):
        starts[number + 1] += starts[number]
    places = np.empty(starts[count], dtype=np.int32)
    filled = starts[:-1].copy()
    for place in range(len(documents)):
        for entry in range(rows[0][documents[place]], rows[0][documents[place] + 1]):
            number = number_of[rows[1][entry]]
            if number >= 0:
                places[filled[number]] = place
                filled[number] += 1
    return starts, places


@kernel
def newton_steps(sample, odds, tags, held_by, times_held, penalty, tolerance, sweeps, base, weights, prior):
    """Newton's step for one weight after another, then for the prior, which is returned.

    Starts from these weights and this prior. The penalty draws weights to 0 and the prior to `base`. The documents that
    have the tag are numbered, and `held_by` lists those that have each of the `tags`; all others are in the `sample`,
    with their `odds`, which are 0 for those that have the tag. Stops when no weight moves by more than the tolerance; a
    weight that moved by less than a fifth of it is skipped in three of four later sweeps.
    """
    starts, documents, times = sample
    odds_held = np.full(len(times_held), np.float32(np.exp(prior)))
    last = np.empty(len(tags), dtype=np.float64)
    for number in range(len(tags)):
        if weights[number] != 0:
            multiply(odds, documents[starts[tags[number]] : starts[tags[number] + 1]], weights[number])
            multiply(odds_held, held_by[1][held_by[0][number] : held_by[0][number + 1]], weights[number])
    for sweep in range(sweeps):
        moved = 0.0
        for number in range(len(tags)):
            if sweep > 2 and sweep % 4 and last[number] < 0.2 * tolerance:
                continue
            others = documents[starts[tags[number]] : starts[tags[number] + 1]]
            held = held_by[1][held_by[0][number] : held_by[0][number + 1]]
            first, second = slope(odds, times, others, False)
            first_held, second_held = slope(odds_held, times_held, held, True)
            step = clip_step(-(first + first_held + penalty * weights[number]) / (second + second_held + penalty))
            last[number] = abs(step)
            moved = max(moved, last[number])
            weights[number] += np.float32(step)
            multiply(odds, others, step)
            multiply(odds_held, held, step)
        first, second = slope_all(odds, times, False)
        first_held, second_held = slope_all(odds_held, times_held, True)
        step = clip_step(-(first + first_held + penalty * (prior - base)) / (second + second_held + penalty))
        prior += step
        multiply_all(odds, step)
        multiply_all(odds_held, step)
        if moved < tolerance:
            break
    return prior


@kernel
def descend(
    rows: tuple[Longs, Ints],
    holders: tuple[Longs, Ints, Singles],
    sample: tuple[Longs, Ints, Singles],
    place_of: Ints,
    near: tuple[Longs, Ints],
    begin: int,
    end: int,
    penalty: float,
    tolerance: float,
    sweeps: int,
    weights: Singles,
    prior: Singles,
) -> None:
    """The logistic regressions of the tags from `begin` to `end`; weights by target, those of j at near[0][j:j + 2].

    `holders` lists the documents that have a tag, `rows` holds their tags; the others are in the `sample`, where
    `place_of` is the place of each document.
    """
    total = np.sum(holders[2].astype(np.float64))
    odds: Singles = np.empty(len(sample[2]), dtype=np.float32)
    number_of: Ints = np.full(len(holders[0]), -1, dtype=np.int32)
    for target in range(begin, end):
        held = holders[1][holders[0][target] : holders[0][target + 1]]
        times_held = holders[2][held]
        count = np.sum(times_held.astype(np.float64))
        base = np.log((count + 0.5) / (total - count + 0.5))
        start = prior[target] if prior[target] != 0 else base
        odds[:] = np.float32(np.exp(start))
        for document in held:
            if place_of[document] >= 0:
                odds[place_of[document]] = np.float32(0.0)  # so that it hardly counts here
        of = slice(near[0][target], near[0][target + 1])
        tags = near[1][of]
        number_of[tags] = np.arange(len(tags)).astype(np.int32)
        held_by = documents_by_number(rows, held, number_of, len(tags))
        number_of[tags] = -1
        prior[target] = newton_steps(
            sample, odds, tags, held_by, times_held, penalty, tolerance, sweeps, base, weights[of], start
        )
