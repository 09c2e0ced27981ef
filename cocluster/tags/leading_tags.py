"""Orders the tags of each cluster by how well they represent it, and labels clusters with the first of them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cocluster.equations.arrays import Ints
from tagmodel import Cluster, Company, RelatedTags
from tagmodel.language.group_names import NAMED_BY, name, ranked


def leading_tags(related: RelatedTags, counts: Ints, labels: Ints) -> list[Ints]:
    """The tags of each cluster 0…k−1, the largest count × mean cosine first.  docs/explanation/clouds.md

    The rule is that of labels; the tags after the thousand commonest of a cluster follow by count.
    """
    # Names depend on the company of tags alone, not on which of them are broad.
    company = Company.of(related, labels.astype(np.int32), np.zeros(len(labels), dtype=np.bool_))
    by_count = np.argsort(-counts, kind="stable")
    members = (by_count[labels[by_count] == cluster] for cluster in range(int(labels.max()) + 1))
    return [_ordered(company, tags, counts) for tags in members]


def labelled_clusters(clusters: Sequence[Ints], names: Sequence[str]) -> tuple[Cluster, ...]:
    """Clusters of tags, which come in their order, with the labels that the first of them give."""
    return tuple(
        Cluster(
            position, tuple(names[tags[place]] for place in name(range(len(tags)), _spellings(tags, names))), len(tags)
        )
        for position, tags in enumerate(clusters)
    )


def _ordered(company: Company, tags: Ints, counts: Ints) -> Ints:
    first = tags[:NAMED_BY].astype(np.intp)
    if len(first) <= 2:  # two have the same mean cosine
        return tags
    order = ranked(counts[first].astype(np.float64), company.mean_cosines(first))
    ordered: NDArray[np.int64] = np.concatenate([first[order], tags[NAMED_BY:]])
    return ordered


def _spellings(tags: Ints, names: Sequence[str]) -> list[str]:
    return [names[tag].casefold() for tag in tags]
