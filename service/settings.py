"""The settings of the service."""

from ipaddress import ip_network
from typing import Annotated, Final, Literal, get_args

from pydantic import Field, field_validator
from pydantic_settings import NoDecode

from service.api_keys import ApiKey, parse_key
from snapshot import StoreSettings
from snapshot.version.documents.cards import image_origin

CommaSeparated = Annotated[tuple[str, ...], NoDecode]
"""A list that the environment writes with commas."""

PageName = Literal[
    "search", "map", "concepts", "concept", "document", "tag-it", "ops", "curate", "embed", "docs", "explore"
]
PAGE_NAMES: Final[tuple[PageName, ...]] = get_args(PageName)
VISITORS_PAGES: Final[frozenset[str]] = frozenset({"search", "map", "concepts", "concept", "document"})
"""The pages for everybody; the others are for operators and builders."""

PAGE_SETS: Final[dict[str, frozenset[str]]] = {
    "all": frozenset(PAGE_NAMES),
    "visitors": VISITORS_PAGES,
    "none": frozenset(),
}


def _page_names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


PRIVATE: Final = (
    *("127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"),
    *("100.64.0.0/10", "fc00::/7", "fe80::/10"),
)
"""The loopback and private networks."""


class ServiceSettings(StoreSettings):
    """Settings of `cotag serve`."""

    port: int = Field(default=8000, ge=0, le=65535, description="Port the service listens on")
    listen_fd: int | None = Field(
        default=None,
        ge=0,
        description="Number of an open socket to listen on, instead of `COTAG_HOST` and `COTAG_PORT`; `cotag up` sets"
        " it for the service",
    )
    web_workers: int = Field(default=2, ge=1, description="Processes that answer HTTP requests")
    web_threads: int = Field(
        default=2, ge=1, description="Threads in each of these processes, for pages and other long answers"
    )
    max_connections: int = Field(
        default=2000,
        ge=10,
        description="Open connections to each of these processes; beyond, the one that is idle longest is closed",
    )
    api_keys: CommaSeparated = Field(
        default_factory=tuple,
        repr=False,
        description="The keys that may write (commas between): SHA-256 (hex), or `NAME:SCOPE:SHA256` with `:EXPIRY` "
        "or not; without any, nobody may",
    )
    read_keys: CommaSeparated = Field(
        default_factory=tuple,
        repr=False,
        description="The keys that may only read, in the same form; without any key of the scope `read`, everybody may",
    )
    cors_origins: CommaSeparated = Field(
        default_factory=tuple,
        description="Origins (commas between) whose pages may call the API from a browser; `*` for all",
    )
    public_pages: str = Field(
        default="all",
        description="Pages that are served (commas between): `all`, `visitors` (search, map, concepts, document),"
        " `none`, or names of pages",
    )
    open_operation: bool = Field(
        default=False,
        description="Whether everybody may read `/ops` and `/metrics` although keys are set; without any key,"
        " everybody may",
    )
    image_origins: CommaSeparated = Field(
        default_factory=tuple,
        description="Origins (commas between), such as `https://images.example.org`, from which pages may load the"
        " images of documents; without any, those that the documents of the served corpora have",
    )
    rate_limit: float = Field(
        default=0.0, ge=0, description="Requests a second that a key, or else an address, may make; 0 for no limit"
    )
    trusted_proxies: int = Field(
        default=0, ge=0, description="Proxies in front of the service whose X-Forwarded headers are trusted"
    )
    proxy_networks: CommaSeparated = Field(
        default_factory=lambda: PRIVATE,
        description="Networks (commas between) of these proxies; X-Forwarded headers from elsewhere are ignored",
    )
    max_body_bytes: int = Field(default=33554432, ge=1, description="The largest accepted request body")
    answer_cache_mb: int = Field(
        default=16, ge=0, description="Memory for cached answers, in each process for each corpus; 0 for none"
    )
    prepared_answers_mb: int = Field(
        default=8,
        ge=0,
        description="Memory for answers made ready ahead, in each process for each corpus; 0 for none",
    )
    fresh_limit: int = Field(
        default=50_000,
        ge=0,
        description="Pushed documents that each process serves before the next run, for each corpus; beyond, a run is"
        " requested",
    )
    undeclared: bool = Field(
        default=True, description="Whether to serve corpora that are in the store but no longer declared"
    )

    @field_validator("api_keys", "read_keys", "cors_origins", "image_origins", "proxy_networks", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("api_keys")
    @classmethod
    def _are_keys(cls, keys: tuple[str, ...]) -> tuple[str, ...]:
        for key in keys:
            parse_key(key, "operate")
        return keys

    @field_validator("read_keys")
    @classmethod
    def _are_read_keys(cls, keys: tuple[str, ...]) -> tuple[str, ...]:
        for key in (parse_key(key, "read") for key in keys):
            if key.scope != "read":
                raise ValueError(f"the key {key.name!r} has the scope {key.scope}; declare it in COTAG_API_KEYS")
        return keys

    @field_validator("image_origins")
    @classmethod
    def _are_origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        for origin in origins:
            if image_origin(origin) != origin:
                raise ValueError(f"{origin!r} is no origin such as https://images.example.org")
        return origins

    @field_validator("proxy_networks")
    @classmethod
    def _are_networks(cls, networks: tuple[str, ...]) -> tuple[str, ...]:
        for network in networks:
            ip_network(network)
        return networks

    @field_validator("public_pages")
    @classmethod
    def _are_pages(cls, names: str) -> str:
        known = (*PAGE_SETS, *PAGE_NAMES)
        for name in _page_names(names):
            if name not in known:
                raise ValueError(f"{name!r} is no page: {', '.join(known)}")
        return names

    @property
    def served_pages(self) -> frozenset[str]:
        """The names of the pages that are served."""
        return frozenset().union(*(PAGE_SETS.get(name, {name}) for name in _page_names(self.public_pages)))

    @property
    def keys(self) -> tuple[ApiKey, ...]:
        """All keys."""
        writing = (parse_key(key, "operate") for key in self.api_keys)
        return (*writing, *(parse_key(key, "read") for key in self.read_keys))
