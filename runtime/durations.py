"""Formats durations for people."""


def duration(seconds: float) -> str:
    """A duration in its one or two largest units: 12 s, 3 min, 5 h 12 min, 2 d 3 h."""
    total = max(int(seconds), 0)
    for unit, size, smaller, part in (("d", 86400, "h", 3600), ("h", 3600, "min", 60)):
        if total >= size:
            rest = total % size // part
            return f"{total // size} {unit} {rest} {smaller}" if rest else f"{total // size} {unit}"
    return f"{total // 60} min" if total >= 60 else f"{total} s" if total else "< 1 s"
