"""Groups the facet values that another engine counted: its counts, our groups and names."""

import numpy as np

from service.answers import FacetGroup, FacetTag, GroupAnswer, UnknownValue
from service.questions.clouds.cloud import cloud_groups, group_tags
from service.questions.clouds.facets import Facet
from service.questions.clouds.grouping import Grouped
from service.questions.related.ranking import Ranking
from service.view.view import View


def facet_cloud(view: View, facet: Facet, *, groups: int, by: Grouped) -> GroupAnswer:
    """The values of a facet that are tags, in at most `groups` groups; the others apart, by falling count.

    A value stands for the tag that a run would count it as. If several stand for one tag, their counts are added up: no
    more documents than that have the tag.
    """
    values: dict[int, list[str]] = {}
    counts: dict[int, int] = {}
    unknown: list[UnknownValue] = []
    for value, count in sorted(facet.counts.items(), key=lambda pair: (-pair[1], pair[0])):
        found = view.names.find(value)
        if found is None:
            unknown.append({"value": value, "count": count})
            continue
        values.setdefault(found[0], []).append(value)
        counts[found[0]] = counts.get(found[0], 0) + count
    tags = sorted(counts, key=lambda tag: (-counts[tag], view.count_rank[tag]))
    scores = np.array([counts[tag] for tag in tags], dtype=np.float64)
    ranking = Ranking(tags, scores / max(scores.max(initial=0.0), 1.0), 0, 0.0)
    index = {view.tag_names[tag]: tag for tag in tags}

    def counted(name: str, weight: float, cluster: int | None, *, broad: bool) -> FacetTag:
        tag = index[name]
        return {
            "tag": name,
            "values": values[tag],
            "weight": weight,
            "count": counts[tag],
            "cluster": cluster,
            "broad": broad,
        }

    made = cloud_groups(view, ranking, group_tags(view, ranking, groups, by))
    return GroupAnswer(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        revision=view.revision,
        facet=facet.name,
        groups=[
            FacetGroup(
                key=group["key"],
                label=group["label"],
                edited=group["edited"],
                common=group["common"],
                also=group["also"],
                relevance=group["relevance"],
                weight=group["weight"],
                hue=group["hue"],
                clusters=group["clusters"],
                tags=[counted(tag["tag"], tag["weight"], tag["cluster"], broad=tag["broad"]) for tag in group["tags"]],
            )
            for group in made
        ],
        unknown=unknown,
    )
