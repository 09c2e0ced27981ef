"""Estimates the memory of a fit before it starts."""


def estimate_memory(n: int, m: int) -> int:
    """Peak bytes of an exact fit of n different documents × m different tags.

    M*, its logarithms and the engine's copies are n×m, the engine's bounds n×n and m×m, and smoothing holds
    a few m×m matrices (T^Y, G). The factors are upper bounds of measured peaks (docs/research/engine.md).

    Args:
        n: The number of different documents.
        m: The number of different tags.

    Returns:
        Bytes.

    >>> 0.1e9 < estimate_memory(5_000, 1_000) < 2e9
    True
    """
    return 28 * n * m + 6 * n * n + 26 * m * m + 20_000_000


def estimate_micro_memory(n: int, m: int, *, entries: int, pairs: int, rows: int, tags: int) -> int:
    """Peak bytes of a fit by micro-clusters: no matrix of it is n×n or n×m.

    The sparse factors grow with the entries of the matrix, C and T^Y with the pairs of tags that occur together,
    G with m×m where it is written out; the rest with the masses of `rows` micro-clusters and with the engine's
    arrays over `tags`. The factors are upper bounds (docs/research/scale.md).
    """
    corpus = 100 * entries + 100 * n + 50 * pairs + 12 * min(m, 10_000) ** 2
    return corpus + 48 * rows * m + 12 * tags * tags + 20_000_000
