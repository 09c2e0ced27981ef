"""`cotag init`: writes the corpora file for files or databases."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from cotag.commands.clustering.sources import SourceOptions, recognised_sections
from cotag.commands.tables import print_json
from cotag.errors import StartError
from worker.clustering.cluster import load_documents
from worker.clustering.stages import Stages
from worker.recognition import Section, corpora_file, section_corpus
from worker.vocabulary.left_out import LeftOut, left_out


def write_corpora_file(
    targets: Sequence[str], options: SourceOptions, min_count: int, output: str, *, as_json: bool
) -> None:
    """Write a corpora file that works, to a new file or with `-` to standard output; say what was understood."""
    file = Path(output)
    if output != "-" and file.exists():
        raise StartError(f"{file} exists; choose another name with --output, or delete it first")
    checked = [_checked(section) for section in recognised_sections(targets, options, min_count)]
    folder = Path.cwd() if output == "-" else file.absolute().parent
    text = corpora_file([section for section, _ in checked], folder, f"written by cotag init {' '.join(targets)}")
    if output == "-":
        click.echo(text, nl=False)
    else:
        try:
            file.write_text(text, encoding="utf-8")
        except OSError as error:
            raise StartError(f"{file}: {error.strerror}") from error
    if as_json and output != "-":
        print_json({"corpora": str(file), "understood": [_record(section, left) for section, left in checked]})
        return
    for section, left in checked:
        click.echo(f"{section.name}: {section.recognised.description}", err=True)
        click.echo(f"{section.name}: {left.description}", err=True)
    if output != "-":
        click.echo(f"wrote {file}; serve it: COTAG_CORPORA={file} cotag up", err=True)


def _checked(section: Section) -> tuple[Section, LeftOut]:
    """Read all documents of a section; if its min_count keeps too little, the section gets a lower one."""
    tagged, _ = load_documents(section_corpus(section), Stages(lambda *_: None))
    left = left_out(tagged, section.min_count)
    if left.proposal is None:
        return section, left
    click.echo(f"{section.name}: {left.description}; {left.proposal} is written to the file", err=True)
    return replace(section, min_count=left.proposal), left_out(tagged, left.proposal)


def _record(section: Section, left: LeftOut) -> dict[str, object]:
    return {
        "name": section.name,
        "understood": section.recognised.description,
        "min_count": section.min_count,
        "documents": left.documents,
        "tags": left.tags,
        "clustered_documents": left.kept_documents,
        "clustered_tags": left.kept_tags,
    }
