"""Loops over matrices of weights, compiled."""

import numpy as np

from cocluster.engine.kernel import Bools, Ints, Longs, Singles, kernel

SAMPLED = 16
"""One value in so many is looked at for a first guess of the largest ones."""

LEAST = np.float32(1e-45)
"""The least positive number."""


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
def nth_largest(values, count, room):
    """The value that would stand at `count` from the end if the values were sorted; 0 if there are fewer.

    `room` has one more place than there are values. A sample tells which values can be among the largest.
    """
    size = len(values)
    if size <= count:
        return np.float32(0.0)
    sampled = size // SAMPLED
    expected = count * sampled / size
    place = int(expected + 3.0 * np.sqrt(expected) + 2.0)
    low = np.float32(0.0)
    if place < sampled:
        for number in range(sampled):
            room[number] = values[number * SAMPLED]
        low = nth_smallest(room[:sampled], sampled - place)
    filled = 0
    for number in range(size):
        room[filled] = values[number]  # no branch: its outcome cannot be predicted
        filled += values[number] >= low
    if filled < count:
        room[:size] = values
        filled = size
    return nth_smallest(room[:filled], filled - count)


@kernel
def mark_largest(values: Singles, shrink: Singles, count: int, marked: Bools) -> None:
    """Mark the `count` largest of each row, as each row of `shrink` scales them: above 0, with ties of the last."""
    rows, m = values.shape
    tags = np.empty(m, dtype=np.int32)
    scaled = np.empty(m, dtype=np.float32)
    room = np.empty(m + 1, dtype=np.float32)
    for row in range(rows):
        filled = 0
        for tag in range(m):
            tags[filled] = tag
            filled += values[row, tag] > 0
        for exponent in range(len(shrink)):
            for number in range(filled):
                scaled[number] = values[row, tags[number]] * shrink[exponent, tags[number]]
            bound = max(nth_largest(scaled[:filled], count, room), LEAST)
            for number in range(filled):
                marked[row, tags[number]] |= scaled[number] >= bound


@kernel
def mark_largest_listed(
    starts: Longs, columns: Ints, values: Singles, shrink: Singles, count: int, marked: Bools
) -> None:
    """The same of sparse rows, whose entries lie one row behind the other."""
    longest = 0
    for row in range(len(starts) - 1):
        longest = max(longest, starts[row + 1] - starts[row])
    places = np.empty(longest, dtype=np.int64)
    scaled = np.empty(longest, dtype=np.float32)
    room = np.empty(longest + 1, dtype=np.float32)
    for row in range(len(starts) - 1):
        filled = 0
        for entry in range(starts[row], starts[row + 1]):
            places[filled] = entry
            filled += values[entry] > 0
        for exponent in range(len(shrink)):
            for number in range(filled):
                scaled[number] = values[places[number]] * shrink[exponent, columns[places[number]]]
            bound = max(nth_largest(scaled[:filled], count, room), LEAST)
            for number in range(filled):
                marked[places[number]] |= scaled[number] >= bound
