"""Lengths of time for people to read."""


def duration(seconds: float) -> str:
    """A length of time in its one or two largest units: 12 s, 3 min, 5 h 12 min, 2 d 3 h."""
    whole = max(int(seconds), 0)
    for unit, size, smaller, part in (("d", 86400, "h", 3600), ("h", 3600, "min", 60)):
        if whole >= size:
            rest = whole % size // part
            return f"{whole // size} {unit} {rest} {smaller}" if rest else f"{whole // size} {unit}"
    return f"{whole // 60} min" if whole >= 60 else f"{whole} s" if whole else "< 1 s"
