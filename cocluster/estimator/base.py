"""What scikit-learn expects of an estimator, without scikit-learn: parameters, a short repr, tags."""

from __future__ import annotations

import sys
from inspect import signature
from typing import Any, Self


class NotFittedError(ValueError, AttributeError):
    """Something was asked of an estimator before `fit`; of the kinds that scikit-learn's error of this name has."""


def not_fitted(message: str) -> NotFittedError:
    """The error of this message; also of scikit-learn's class where that is in use, so that its users catch it."""
    theirs = getattr(sys.modules.get("sklearn.exceptions"), "NotFittedError", None)
    if theirs is None:
        return NotFittedError(message)
    both: type[NotFittedError] = type("NotFittedError", (NotFittedError, theirs), {})
    return both(message)


class Estimator:
    """The parameters of a class are the arguments of its `__init__`, which stores them unchanged; `fit` checks them."""

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        """The parameters in rising order, with their defaults."""
        arguments = signature(cls.__init__).parameters
        return {name: arguments[name].default for name in sorted(arguments) if name != "self"}

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 — no parameter is an estimator
        """The parameters as they were given. `deep` changes nothing here; scikit-learn passes it."""
        return {name: getattr(self, name) for name in self._defaults()}

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters; the next `fit` uses them.

        Raises:
            ValueError: there is no parameter of that name.
        """
        known = self._defaults()
        for name in parameters:
            if name not in known:
                raise ValueError(f"Invalid parameter {name!r} for {self!r}; valid parameters are: {', '.join(known)}")
        for name, value in parameters.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = self._defaults()
        given = self.get_params()
        changed = [f"{name}={given[name]!r}" for name in defaults if repr(given[name]) != repr(defaults[name])]
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self) -> Any:
        # Only scikit-learn calls this, so it can be imported here and only here.
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags  # noqa: PLC0415

        return Tags(
            estimator_type="clusterer",
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(preserves_dtype=[]),
            input_tags=InputTags(sparse=True, positive_only=True),
        )
