"""The dates on the search page: which spans of time help, and their addresses."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from service.pages.search.params import SPANS, SearchParams
from service.view.view import View
from service.view.window import newest_date, span_seconds, window, windowed
from snapshot.version.documents.dates import NO_DATE


class DateFilter(NamedTuple):
    """A span of time, how many of the documents found are in it, and the address that shows only these."""

    label: str
    documents: int
    address: str
    chosen: bool


def has_dates(view: View) -> bool:
    """Whether any document has a date."""
    return view.has_documents and bool((view.documents.dates != NO_DATE).any())


def in_span(view: View, params: SearchParams) -> tuple[View, SearchParams]:
    """The view of the span that is asked for; where there are no dates, nothing is asked about them."""
    if not (params.last or params.sort):
        return view, params
    if not has_dates(view):
        return view, replace(params, last="", sort="")
    return windowed(view, window(view, "", "", params.last)), params


def date_filters(view: View, found: NDArray[np.intp], state: SearchParams) -> list[DateFilter]:
    """The spans of time that leave some of the documents found and not all; the chosen one, and the way to all."""
    if not has_dates(view):
        return []
    if state.last:
        return [DateFilter(SPANS[state.last], len(found), state.link(last=""), chosen=True)]
    newest, dates = newest_date(view), view.documents.dates[found]
    filters: list[DateFilter] = []
    seen = 0
    for last, label in SPANS.items():
        count = int(np.count_nonzero(dates > newest - span_seconds(last, "last")))
        if seen < count < len(found):
            filters.append(DateFilter(label, count, state.link(last=last), chosen=False))
            seen = count
    return filters
