"""Prints clouds as people read them: what the service shows, and the prototype beside it."""

import logging
from collections.abc import Iterable, Sequence

import structlog

from bench.meaning.api import FIRST_PAGE, SETS, SHOWN, Cloud, served
from bench.meaning.parts import Answering
from bench.meaning.prototype import Prototype
from bench.meaning.samples import Sample


def show(samples: Iterable[Sample], tags: Sequence[str]) -> None:
    """One cloud for each tag, or the first page without any."""
    questions: list[tuple[str, ...]] = [(tag,) for tag in tags] or [()]
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    for sample in samples:
        version = sample.snapshot()
        with served(version) as api:
            for question in questions:
                print(f"\n## {sample.corpus} {sample.seed}: {', '.join(question) or 'first page'}")
                ways: tuple[Answering, ...] = (api, Prototype(version.snapshot))
                for each in ways:
                    print(f"{each.form}:")
                    print(lines(each.cloud(question, SETS, SHOWN if question else FIRST_PAGE)))


def lines(cloud: Cloud) -> str:
    """One line a group: its heading, then its tags."""
    return "\n".join(
        f"  {group.heading if group.kind == 'group' else f'({group.kind})'}: {' · '.join(group.tags)}"
        for group in cloud.groups
    )
