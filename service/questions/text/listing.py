"""Lists tags: autocomplete, and all of them."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from service.answers import ListedTag, TagsAnswer, TitleWord
from service.view.autocomplete import Autocomplete, Ranks
from service.view.view import View, search_key
from snapshot import words_of_title

Finder = Callable[[Autocomplete, str], Ranks]


def tags(view: View, prefix: str, infix: str, *, limit: int, offset: int) -> TagsAnswer:
    """Tags that begin with one text and contain another, then those with a later word that begins with it.

    Either come by falling count, the rare ones last, except that the tag comes first that is typed to its end.
    Words of titles follow if there is room for them.
    """
    begin, part = search_key(prefix), search_key(infix)
    ranks, aliases = _matches(view, Autocomplete.beginning if begin or not part else None, begin, part)
    if begin:
        later, later_aliases = _matches(view, Autocomplete.later_word, begin, part)
        if len(later):
            new = _others(view, ranks)[later]
            ranks = np.concatenate([ranks, later[new]])
            aliases = np.concatenate([aliases, later_aliases[new]])
        ranks, aliases = _exact_first(view, begin, ranks, aliases)
    page = slice(offset, offset + limit)
    room = offset + limit - len(ranks)
    return TagsAnswer(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        revision=view.revision,
        total=len(ranks),
        offset=offset,
        tags=[_listed(view, *found) for found in zip(ranks[page].tolist(), aliases[page].tolist(), strict=True)],
        titles=_title_words(view, prefix, min(room, limit)) if begin and not part and room > 0 else [],
    )


def _exact_first(view: View, begin: str, ranks: Ranks, aliases: Ranks) -> tuple[Ranks, Ranks]:
    """The same with the tag first that is typed to its end; otherwise many longer names could hide it."""
    tag = view.loose.get(begin)
    if tag is None:
        return ranks, aliases
    order = np.argsort(ranks != view.count_rank[tag], kind="stable")
    return ranks[order], aliases[order]


def asks_titles(view: View, prefix: str, limit: int) -> bool:
    """Whether so few tags begin with a text that its words are looked for in titles."""
    return _has_title_words(view) and len(view.completion.beginning(search_key(prefix))) < limit


def _has_title_words(view: View) -> bool:
    return view.has_documents and view.documents.has_title_words


def _title_words(view: View, prefix: str, limit: int) -> list[TitleWord]:
    """The words of titles that begin with a text and are no tags, those with most documents first."""
    words = words_of_title(prefix)
    if not _has_title_words(view) or len(words) != 1:
        return []
    return [{"word": word, "count": count} for word, count in view.documents.title_words(words[0], limit)]


def _matches(view: View, find: Finder | None, begin: str, part: str) -> tuple[Ranks, Ranks]:
    """The ranks of the tags that are found, rising, and of each the alias that was found instead; −1: its name was."""
    ranks = _both(view.completion, find, begin, part)
    aliases = np.full(len(ranks), -1, dtype=np.int64)
    numbers = _both(view.alias_completion, find, begin, part)
    if not len(numbers) or not (begin or part):
        return ranks, aliases
    found, first = np.unique(view.alias_ranks[numbers], return_index=True)  # the first is the commonest
    new = _others(view, ranks)[found]
    ranks, aliases = np.concatenate([ranks, found[new]]), np.concatenate([aliases, numbers[first[new]]])
    order = np.argsort(ranks)
    return ranks[order], aliases[order]


def _others(view: View, ranks: Ranks) -> NDArray[np.bool_]:
    """For the rank of every tag, whether it is none of these."""
    others = np.ones(len(view.listed), dtype=np.bool_)
    others[ranks] = False
    return others


def _both(completion: Autocomplete, find: Finder | None, begin: str, part: str) -> Ranks:
    """What begins as asked and contains the part; without a beginning, `find` is None."""
    if find is None:
        return completion.containing(part)
    ranks = find(completion, begin)
    return np.intersect1d(ranks, completion.containing(part)) if part else ranks


def _listed(view: View, rank: int, alias: int) -> ListedTag:
    tag = view.listed[rank]
    listed: ListedTag = {
        "tag": view.tag_names[tag],
        "count": view.counts[tag],
        "cluster": view.concept_of(tag),
        "rare": view.is_tail(tag),
    }
    if alias >= 0:
        listed["as"] = view.alias_names[alias]
    if description := view.relations.descriptions.get(tag):
        listed["description"] = description
    return listed
