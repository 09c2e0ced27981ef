"""API keys as the settings declare them: a digest, or a name, a scope, a digest and perhaps an expiry."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Final, Literal, get_args

Scope = Literal["read", "push", "edit", "operate"]
"""What a key allows besides reading: nothing, documents, editors' decisions, or everything."""

SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)
SHA256: Final = re.compile(r"[0-9a-f]{64}")
NAME: Final = re.compile(r"[\w .@+-]{1,64}")
FORM: Final = "NAME:SCOPE:SHA256 or NAME:SCOPE:SHA256:EXPIRY"


@dataclass(frozen=True)
class ApiKey:
    """A key, known by its SHA-256 only. The audit log names it."""

    name: str
    scope: Scope
    digest: str
    expires: datetime | None = None

    def allows(self, scope: Scope) -> bool:
        """Whether the key allows what needs this scope."""
        return scope in {"read", self.scope} or self.scope == "operate"


def parse_key(text: str, scope: Scope) -> ApiKey:
    """The key of one entry of a setting; `scope` is that of a digest alone. ValueError with what is wrong."""
    if SHA256.fullmatch(text):
        return ApiKey(f"key {text[:8]}", scope, text)
    name, declared, digest, expiry = (*text.split(":", 3), "", "", "")[:4]
    if not SHA256.fullmatch(digest):
        raise ValueError(f"every key is given by its SHA-256, 64 hexadecimal digits in lower case, alone or as {FORM}")
    if not NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name of a key: up to 64 letters, digits, spaces and _.@+-")
    if declared not in SCOPES:
        raise ValueError(f"the scope of the key {name!r} is {declared!r}, not one of {', '.join(SCOPES)}")
    return ApiKey(name, declared, digest, _parse_expiry(expiry, name) if expiry else None)


def _parse_expiry(text: str, name: str) -> datetime:
    """The moment from which a key is of no use: a time, in UTC unless it says otherwise, or the end of a day."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"the expiry of the key {name!r} is {text!r}, not a date such as 2027-01-31") from None
    if len(text) == len("2027-01-31"):
        moment = datetime.combine(moment, time.max)
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
