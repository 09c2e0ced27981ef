from pydantic import Field

from snapshot import StoreSettings


class ServiceSettings(StoreSettings):
    """Settings of `cotag serve`."""

    host: str = Field(default="127.0.0.1", description="Address the service listens on")
    port: int = Field(default=8000, ge=0, le=65535, description="Port the service listens on")
    web_workers: int = Field(default=2, ge=1, description="Processes that answer HTTP requests")
    web_threads: int = Field(default=8, ge=1, description="Threads of each such process")
