def estimate_memory(n: int, m: int) -> int:
    """Bytes that clustering n documents × m tags takes at its peak, when no two of them are identical."""
    smoothing = 8 * (2 * n * m + 3 * m * m)
    agglomeration = 8 * 4 * n * m + 4 * (n * n + m * m)
    return max(smoothing, agglomeration)


def require_memory(n: int, m: int, limit: int | None) -> None:
    """Raise a ValueError that names the limit when n×m would take more bytes than it allows."""
    if limit is not None and (needed := estimate_memory(n, m)) > limit:
        raise ValueError(
            f"{n} documents × {m} tags need about {needed / 1e6:.0f} MB, more than max_memory={limit} bytes"
        )
