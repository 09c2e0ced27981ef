"""Reads the documents that were pushed over HTTP."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import orjson
from redis import Redis

from snapshot import Card, PushedDocuments
from worker.errors import CorpusError
from worker.sources.card_fields import LONGEST_LEARNT, showable_card
from worker.sources.declarations import PushedSource
from worker.sources.document import Document, Tally


def pushed_documents(
    source: PushedSource, corpus: str, redis: Redis | None, tally: Tally, *, cards: bool
) -> Iterator[Document]:
    """The documents pushed so far."""
    if redis is None:
        raise CorpusError(f"{corpus}: its documents are pushed to the store, which is not connected here")
    pushed = PushedDocuments(redis, corpus)
    tally.total = max(pushed.count(), 1)
    for record in pushed.records():
        tally.lines += 1
        tally.done = min(tally.lines, tally.total)
        try:
            values = orjson.loads(record)
            card = _card(values, source.base_url, tally) if cards else None
            document = source.parser.parse(values.get("id"), values.get("tags"), values.get("label"), card)
        except (ValueError, AttributeError) as error:
            tally.pass_over(f"pushed document {tally.lines}", error)
        else:
            yield document


def _card(values: dict[str, Any], base_url: str | None, tally: Tally) -> Card | None:
    """The card of a pushed document; the base may be another than at the time of the push."""
    fields = values.get("fields") or {}
    card = showable_card(values.get("title"), values.get("url"), values.get("image"), fields, base_url, tally=tally)
    text = values.get("text")
    return replace(card or Card(), text=text[:LONGEST_LEARNT]) if isinstance(text, str) and text.strip() else card
