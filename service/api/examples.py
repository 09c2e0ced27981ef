"""Example answers for openapi.json, made of the answer classes, so that they always fit the schemas."""

from dataclasses import asdict
from typing import Any, Final

from service.answers import (
    Because,
    CloudAnswer,
    CloudGroup,
    CloudTag,
    ClusterShare,
    ListedTag,
    Other,
    Part,
    Problem,
    QueryAnswer,
    RelatedAnswer,
    RelatedTag,
    TagsAnswer,
)

VERSION: Final = "20261116T023748.792Z"
QUERY: Final = QueryAnswer("payments", ["payment"], [Part("payments", "payment", "plural")], [], [], [], [])

EXAMPLES: Final[dict[Any, dict[str, Any]]] = {
    type(answer): asdict(answer)
    for answer in (
        CloudAnswer(
            corpus="demo",
            version=VERSION,
            revision=7,
            query=QUERY,
            groups=[
                CloudGroup(
                    key="money",
                    label="money, finance",
                    edited=False,
                    common=False,
                    also=False,
                    relevance=1.0,
                    weight=0.9062,
                    hue=148,
                    clusters=[ClusterShare(id=2, share=1.0)],
                    tags=[
                        CloudTag(tag="money", weight=1.0, count=187, score=0.297185, cluster=2, broad=False),
                        CloudTag(tag="finance", weight=0.9175, count=143, score=0.27268, cluster=2, broad=False),
                    ],
                )
            ],
            other=Other(size=110, score=0.778772, share=0.2207),
        ),
        RelatedAnswer(
            "demo",
            VERSION,
            7,
            QUERY,
            [
                RelatedTag(
                    tag="money", score=0.297185, count=187, cluster=2, because=[Because(tag="payment", share=1.0)]
                )
            ],
        ),
        TagsAnswer(
            "demo",
            VERSION,
            7,
            total=2,
            offset=0,
            tags=[
                ListedTag(tag="payment", count=166, cluster=2, rare=False),
                ListedTag(tag="pay", count=8, cluster=2, rare=False),
            ],
            titles=[],
        ),
        Problem("about:blank", "Not Found", 404, "there is no tag 'paiement' in demo", "3f9c", ["payment"]),
    )
}
