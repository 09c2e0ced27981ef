from dataclasses import dataclass, field


@dataclass(frozen=True)
class Frame:
    """What every page has around it: the corpora to choose from, and whether what they show may be out of date."""

    here: str
    corpus: str = ""
    titles: dict[str, str] = field(default_factory=dict)
    stale: float | None = None
    """Seconds since the store last confirmed the version that is shown."""

    @property
    def title(self) -> str:
        """Of the corpus that is shown."""
        return self.titles.get(self.corpus, self.corpus)
