"""The files and databases that `cotag up`, `cotag cluster` and `cotag init` take, and the options about them."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

OPTIONS: Final = (
    click.option("--id", metavar="COLUMN", help="Column or field with the id of a document."),
    click.option(
        "--tags",
        metavar="COLUMN",
        multiple=True,
        help="Column or field with the tags; a number if there are no titles. Several are joined.",
    ),
    click.option("--separator", metavar="TEXT", help="What separates the tags of a list."),
    click.option("--pattern", metavar="REGEX", help="Find the tags in a text by a regular expression."),
    click.option(
        "--layout",
        type=click.Choice(["list", "pairs", "columns"]),
        help="A row is a document, a pair of document and tag, or a document with a column for each tag.",
    ),
    click.option("--label", metavar="COLUMN", help="Column or field with the class label of a document."),
    click.option("--title", metavar="COLUMN", help="Column or field with the title of a document."),
    click.option("--url", metavar="COLUMN", help="Column or field with the address of a document."),
    click.option("--image", metavar="COLUMN", help="Column or field with the address of an image."),
    click.option("--query", metavar="SQL", help="What to select from a SQLite file or the URL of a database."),
    click.option("--records", metavar="PLACE", help="Where a JSON file has its documents, or the sheet of a workbook."),
    click.option("--inline", is_flag=True, help="Take the #tags in the text of Markdown notes too."),
)


@dataclass(frozen=True)
class SourceOptions:
    """What the options say; None where Cotag should find out."""

    id: str | None = None
    tags: tuple[str, ...] = ()
    separator: str | None = None
    pattern: str | None = None
    layout: str | None = None
    label: str | None = None
    title: str | None = None
    url: str | None = None
    image: str | None = None
    query: str | None = None
    records: str | None = None
    inline: bool = False

    def given(self) -> bool:
        """Whether there is any."""
        return any(value not in (None, (), False) for value in asdict(self).values())


min_count_option = click.option(
    "--min-count",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="Leave out tags in fewer documents than this.",
)


def source_options(command: F) -> F:
    """Add the options to a command, which gets them as one argument `options`."""

    def with_options(**values: Any) -> Any:
        own = {name: values.pop(name) for name in SourceOptions.__dataclass_fields__}
        return command(options=SourceOptions(**own), **values)

    with_options.__name__, with_options.__doc__ = command.__name__, command.__doc__
    with_options.__click_params__ = list(getattr(command, "__click_params__", []))  # type: ignore[attr-defined]
    for option in reversed(OPTIONS):
        option(with_options)
    return with_options  # type: ignore[return-value]


def recognised_sections(targets: Sequence[str], options: SourceOptions, min_count: int) -> list[Any]:
    """Each file or database as a section of a corpora file; CorpusError if one cannot be read."""
    from worker.recognition import Section, Wishes, corpus_name, recognise, refuse_equal_names  # noqa: PLC0415

    refuse_equal_names(targets)
    values = asdict(options)
    wishes = Wishes(**{**values, "tags": options.tags or None})
    sections = []
    for target in targets:
        name, title = corpus_name(target)
        sections.append(Section(name, title, recognise(target, name, wishes), min_count))
    return sections
