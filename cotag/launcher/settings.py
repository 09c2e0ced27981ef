"""Settings of `cotag up`."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from service.settings import ServiceSettings
from worker.settings import WorkerSettings


class UpSettings(ServiceSettings, WorkerSettings):
    """Settings of `cotag up`: those of all parts, which it starts, and its own."""

    log_format: Literal["console", "json"] = Field(
        default_factory=lambda: "console", description="`json` for machines, `console` for people"
    )
    data_dir: Path = Field(
        default=Path(".cotag"), description="Where `cotag up` puts the embedded store and its own state"
    )
    workers: int = Field(
        default=2,
        ge=1,
        le=64,
        description="Workers that `cotag up` starts: so many runs at a time, each of another corpus",
    )
    undeclared: bool = Field(
        default_factory=lambda: False,
        description="Whether to serve corpora that are in the store but no longer declared",
    )
