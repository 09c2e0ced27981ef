"""How much memory a fit takes, estimated before it starts."""


def estimate_memory(n: int, m: int) -> int:
    """Bytes that clustering n different documents × m different tags exactly takes at its peak.

    M*, its logarithms and the engine's copies are n×m, the engine's bounds n×n and m×m, and smoothing holds
    a few m×m matrices (T^Y, G). The factors are fitted to measured peaks from above (docs/research/engine.md).
    """
    return 28 * n * m + 6 * n * n + 26 * m * m + 20_000_000


def estimate_micro_memory(n: int, m: int, *, entries: int, pairs: int, rows: int, tags: int) -> int:
    """Bytes that the way by micro-clusters takes at its peak: nothing of it is n×n or n×m.

    The sparse factors grow with the entries of the matrix, C and T^Y with the pairs of tags that occur together,
    G with m×m where it is written out; the rest with the masses of `rows` micro-clusters and with what the engine
    holds of `tags`. The factors are from above (docs/research/scale.md).
    """
    corpus = 100 * entries + 100 * n + 50 * pairs + 12 * min(m, 10_000) ** 2
    return corpus + 48 * rows * m + 12 * tags * tags + 20_000_000
