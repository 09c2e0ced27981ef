from importlib.resources import files
from pathlib import Path

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
    metrics_port: int | None = Field(
        default=None, ge=1, le=65535, description="Port on which the scheduler shows Prometheus metrics of all runs"
    )
