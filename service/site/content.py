"""The files of a static site, made from one version: the same version makes the same bytes.

Pages that open from plain files may not fetch anything, so what the page of a tag shows comes in shards: scripts that a
page adds when it needs them.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final

import orjson
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from service.errors import SiteTooLarge
from service.pages.blueprint import grouped
from service.pages.concept.concept import broader_branch
from service.pages.frame.assets import STATIC
from service.pages.frame.colours import concept_hue
from service.pages.map.map import MapParams, concept_map
from service.pages.search.params import SearchParams
from service.pages.search.sections import closing_title, size
from service.questions.clouds.cloud import cloud
from service.questions.clouds.defaults import USUAL_TAGS
from service.questions.clouds.overview import overview
from service.questions.clusters import dendrogram
from service.questions.clusters import svg as drawing
from service.questions.clusters.clusters import about_cluster
from service.questions.text.query import NOTHING
from service.site.postings import DOCUMENTS, document_count, document_shards, posting_shards
from service.view.view import View

HERE: Final = Path(__file__).parent
SHARD: Final = 50
"""Tags in a shard."""

LEAVES: Final = 40
"""Branches of the drawn tree."""

SHEETS: Final = ("style.css", "concept.css", "map.css", "icon.svg")

Files = dict[str, bytes]
"""Path inside the site → content."""


def site_files(view: View, most_bytes: int) -> Files:
    """All files. Raises SiteTooLarge as soon as they would take more, before anything is written."""
    files: Files = {}
    total = 0
    for path, content in _made(view):
        files[path] = content
        total += len(content)
        if total > most_bytes:
            raise SiteTooLarge(
                f"the site of {view.snapshot.corpus} would take more than {most_bytes // 1_000_000} MB "
                f"({len(view.counts):,} tags); nothing was written. --max-mb allows more"
            )
    return files


def _made(view: View) -> Iterator[tuple[str, bytes]]:
    for name in SHEETS:
        yield name, (STATIC / name).read_bytes()
    for path in sorted((HERE / "static").iterdir()):
        yield path.name, path.read_bytes()
    yield "tags.js", _script("tags", _tag_list(view))
    places = {view.tag_names[tag]: place for place, tag in enumerate(view.listed)}
    for number, first in enumerate(range(0, len(view.listed), SHARD)):
        clouds = [_cloud(view, tag, places) for tag in view.listed[first : first + SHARD]]
        yield f"shards/{number}.js", _script("shard", number, clouds)
    for call, number, entries in chain(posting_shards(view, SHARD), document_shards(view, places)):
        yield f"{call}/{number}.js", _script(call, number, entries)
    yield from _pages(view)
    tree = dendrogram.of_tags(view, min(LEAVES, view.tree.leaves))
    yield "tree.svg", drawing.svg(tree).body


def _script(call: str, *values: Any) -> bytes:
    """A call of the site's own script."""
    return f"cotag.{call}(".encode() + b", ".join(map(orjson.dumps, values)) + b");\n"


def _tag_list(view: View) -> dict[str, Any]:
    """How much there is, and all tags, the head by falling count, then the tail: name, count, concept, broad or not.

    Clouds name tags by their places.
    """
    names = view.tag_names
    return {
        "shard": SHARD,
        "documents": document_count(view),
        "documentShard": DOCUMENTS,
        "concepts": {str(each.id): [each.name, concept_hue(each.id, view)] for each in view.clusters.values()},
        "tags": [
            [names[tag], view.counts[tag], view.concept_of(tag), int(bool(view.broad[tag]))] for tag in view.listed
        ],
    }


def _cloud(view: View, tag: int, places: dict[str, int]) -> list[Any]:
    """The cloud around a tag: name, whether it closes the cloud, tags, and their sizes as digits."""
    asked = SearchParams(view.snapshot.corpus)
    query = replace(NOTHING, tags=(tag,))
    answer = cloud(view, query, limit=USUAL_TAGS, groups=asked.groups, specificity=asked.specificity)
    return [
        [
            closing_title(group) or group["label"],
            int(group["also"] or group["common"]),
            [places[each["tag"]] for each in group["tags"]],
            "".join(str(size(each)) for each in group["tags"]),
        ]
        for group in answer.groups
    ]


def _pages(view: View) -> Iterator[tuple[str, bytes]]:
    environment = Environment(
        loader=FileSystemLoader([HERE / "templates", STATIC.parent / "templates"]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"grouped": grouped, "concept_hue": concept_hue}
    render = partial(_render, environment, view)
    asked = SearchParams(view.snapshot.corpus)
    yield "index.html", render("index.html", "", cloud=overview(view, USUAL_TAGS, asked.groups), size=size)
    yield "map.html", render("map.html", "", page=concept_map(view, MapParams(view.snapshot.corpus)))
    yield "tree.html", render("tree.html", "", leaves=min(LEAVES, view.tree.leaves))
    by_size = sorted(view.clusters.values(), key=lambda each: (-each.size, each.id))
    yield "concepts.html", render("concepts.html", "", concepts=by_size)
    for each in by_size:
        detail, broader = about_cluster(view, each.id), broader_branch(view, each.id)
        yield f"concepts/{each.id}.html", render("concept.html", "../", detail=detail, broader=broader)


def _render(environment: Environment, view: View, template: str, root: str, **content: Any) -> bytes:
    text = environment.get_template(f"site_{template}").render(view=view, root=root, here=template, **content)
    return text.encode()
