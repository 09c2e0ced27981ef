"""Prints clouds as people read them."""

import logging
from collections.abc import Iterable, Sequence

import structlog

from bench.meaning.api import Cloud, served
from bench.meaning.samples import Sample


def show(samples: Iterable[Sample], tags: Sequence[str]) -> None:
    """One cloud for each tag, or the first page without any."""
    questions: list[tuple[str, ...]] = [(tag,) for tag in tags] or [()]
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    for sample in samples:
        with served(sample.snapshot()) as api:
            for question in questions:
                print(f"\n## {sample.corpus} {sample.seed}: {', '.join(question) or 'first page'}")
                print(lines(api.cloud(question) if question else api.first_page()))


def lines(cloud: Cloud) -> str:
    """One line a group: its heading, then its tags."""
    return "\n".join(
        f"  {group.heading if group.kind == 'group' else f'({group.kind})'}: {' · '.join(group.tags)}"
        for group in cloud.groups
    )
