def estimate_memory(n: int, m: int) -> int:
    """Bytes that clustering n documents × m tags takes at its peak, when no two of them are identical.

    M*, its logarithms and the engine's copies are n×m, the engine's bounds n×n and m×m, and smoothing holds
    a few m×m matrices (T^Y, G). The factors are fitted to measured peaks from above (docs/math.md, "Memory").
    """
    return 28 * n * m + 6 * n * n + 26 * m * m + 20_000_000


def require_memory(n: int, m: int, limit: int | None) -> None:
    """Raise a ValueError that names the limit when n×m would take more bytes than it allows."""
    if limit is not None and (needed := estimate_memory(n, m)) > limit:
        raise ValueError(
            f"{n} documents × {m} tags need about {needed / 1e6:.0f} MB, more than max_memory={limit} bytes"
        )
