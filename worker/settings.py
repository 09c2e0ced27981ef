"""Settings of worker and scheduler."""

from importlib.resources import files
from pathlib import Path
from typing import Annotated

from pydantic import Field

from snapshot import StoreSettings


def demo_corpora() -> Path:
    """The corpora file that ships with Cotag."""
    return Path(str(files("demo"))) / "corpora.toml"


class WorkerSettings(StoreSettings):
    """Settings of `cotag worker` and `cotag scheduler`."""

    corpora: Path = Field(
        default_factory=demo_corpora, description="The TOML file that declares the corpora (default: the demo)"
    )
    dask: Annotated[str, Field(pattern=r"^(tcp|tls|ws|wss)://.+:\d+$")] | None = Field(
        default=None,
        description="Scheduler of a Dask cluster (`tcp://host:8786`) on which large corpora are clustered",
    )
    metrics_port: int | None = Field(
        default=None, ge=1, le=65535, description="Port at which the scheduler serves Prometheus metrics of all runs"
    )
