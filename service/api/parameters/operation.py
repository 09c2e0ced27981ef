"""The parameters of the endpoints about operation."""

from pydantic import Field

from service.api.parameters.parameters import VERSION, Parameters


class SinceQuery(Parameters):
    """Since when."""

    since: str = Field(
        pattern=VERSION, description="A version of the last year, stored or not", examples=["20261116T023748.792Z"]
    )


class ReadyQuery(Parameters):
    """Whose readiness."""

    corpus: str | None = Field(default=None, description="Only of this corpus", examples=["demo"])
