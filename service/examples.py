"""Answers as the description shows them: made of the same dataclasses, so that they cannot go out of shape."""

from dataclasses import asdict
from typing import Any, Final

from service.answers import (
    Because,
    CloudAnswer,
    CloudGroup,
    CloudTag,
    ListedTag,
    Other,
    Problem,
    QueryAnswer,
    RelatedAnswer,
    RelatedTag,
    TagsAnswer,
)
from service.understanding import Part

VERSION: Final = "20261116T023748.792Z"
QUERY: Final = QueryAnswer("payments", ["payment"], [Part("payments", "payment", "plural")], [], [])

EXAMPLES: Final[dict[Any, dict[str, Any]]] = {
    type(answer): asdict(answer)
    for answer in (
        CloudAnswer(
            corpus="demo",
            version=VERSION,
            query=QUERY,
            groups=[
                CloudGroup(
                    id=2,
                    label="money, payment, currency",
                    weight=0.9269,
                    size=63,
                    clusters=[2],
                    tags=[CloudTag("cash", 1.0, 91, 0.018573), CloudTag("finance", 0.9208, 143, 0.017102)],
                )
            ],
            broad=[],
            other=Other(size=49, score=0.024947, share=0.1296),
            senses=None,
        ),
        RelatedAnswer("demo", VERSION, QUERY, [RelatedTag("cash", 0.018573, 91, 2, [Because("payment", 1.0)])]),
        TagsAnswer("demo", VERSION, total=2, offset=0, tags=[ListedTag("payment", 166, 2), ListedTag("pay", 8, 2)]),
        Problem("about:blank", "Not Found", 404, "there is no tag 'paiement' in demo", "3f9c", ["payment"]),
    )
}
