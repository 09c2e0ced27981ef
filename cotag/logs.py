"""Configures logging: one format for all libraries of a process."""

import logging
import sys
from typing import Any

import structlog

from snapshot import StoreSettings


def configure(settings: StoreSettings, part: str) -> None:
    """Use one format for everything a process logs, through structlog, gunicorn or RQ."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(
            fmt="%H:%M:%S" if settings.log_format == "console" else "iso", utc=settings.log_format == "json"
        ),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_renderers(settings, part)],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(settings.log_level.upper())


def _renderers(settings: StoreSettings, part: str) -> list[Any]:
    if settings.log_format == "console":
        return [structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0, pad_level=False)]

    def with_part(_logger: Any, _name: str, event: Any) -> Any:
        event["part"] = part
        return event

    return [with_part, structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
