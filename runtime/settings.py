"""Reads settings from the environment, and defines those that worker and service share."""

import re
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict
from redis.connection import parse_url

from runtime.sentinels import EXAMPLE, is_sentinel_url, parse_sentinel_url

S = TypeVar("S", bound=BaseSettings)


class SettingsError(Exception):
    """A setting has an invalid value; the message names its environment variable."""


class StoreSettings(BaseSettings):
    """Settings that worker and service share. Read from the environment, once, at start."""

    model_config = SettingsConfigDict(env_prefix="COTAG_", frozen=True)

    redis_url: str = Field(
        default="redis://127.0.0.1:6379/0",
        repr=False,
        description="The Redis (or Valkey) server that holds the snapshots",
    )
    confirm_replicas: int = Field(
        default=0,
        ge=0,
        le=100,
        description="Replicas of the store that must have pushed documents and edits before they are confirmed",
    )
    cache_dir: Path | None = Field(
        default_factory=lambda: None,
        description="Directory for copies: of snapshots, so that the service can start while the store is away, of the"
        " last good declarations, so that worker and scheduler can start with a broken corpora file, and of the"
        " documents, which all processes of the service map; without it, these are in a private temporary directory",
    )
    log_format: Literal["console", "json"] = Field(
        default="json", description="`json` for machines, `console` for people"
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="The least severe level that is logged"
    )

    host: str = Field(
        default="127.0.0.1", description="Address the service listens on, and the scheduler with its metrics"
    )

    @field_validator("redis_url")
    @classmethod
    def _is_a_redis_url(cls, url: str) -> str:
        return check_redis_url(url)


def check_redis_url(url: str) -> str:
    """The same URL, or ValueError if it names no store. Messages repeat nothing: it may hold a password."""
    scheme = url.partition("://")[0].lower()
    if is_sentinel_url(url):
        try:
            parse_sentinel_url(url)
        except ValueError:
            raise ValueError(
                f"this is no URL such as {EXAMPLE}; special characters of a password must be percent-encoded"
            ) from None
        return url
    if "sentinel" in scheme or "cluster" in scheme or "," in url.partition("://")[2].split("/")[0].rpartition("@")[2]:
        raise ValueError(f"Cotag needs one Redis server, or Sentinels ({EXAMPLE}); it does not support Redis Cluster")
    try:
        parse_url(url)
        misplaced = "@" in url.partition("://")[2].partition("/")[2] and scheme != "unix"
    except ValueError:
        misplaced = True
    if misplaced:
        raise ValueError(
            "this is no URL such as redis://user:password@host:6379/0, rediss://… (TLS) or unix:///path/to/socket; "
            "special characters of a password must be percent-encoded"
        )
    return url


def without_password(url: str) -> str:
    """A URL as messages show it."""
    shown = re.sub(r"(?<=://)[^/]*@", "***@", url)
    return re.sub(r"(?<=[?&])((?:sentinel_)?(?:username|password))=[^&]*", r"\1=***", shown)


def read_settings(kind: type[S]) -> S:
    """Settings of one process, or SettingsError naming every variable that is wrong."""
    try:
        return kind()
    except ValidationError as error:
        prefix = str(kind.model_config.get("env_prefix", ""))
        messages = [
            f"{prefix}{'_'.join(str(step) for step in fault['loc'])}".upper()
            + (f"={fault['input']!r}" if _may_show(kind, fault["loc"]) else "")
            + f": {fault['msg'].removeprefix('Value error, ')}"
            for fault in error.errors()
        ]
        raise SettingsError("; ".join(messages)) from error


def _may_show(kind: type[BaseSettings], where: tuple[int | str, ...]) -> bool:
    """Whether a message may repeat the value: fields declared with repr=False may hold secrets."""
    field = kind.model_fields.get(str(where[0]))
    return field is None or field.repr
