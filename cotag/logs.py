"""Configures logging: one format and one writer for all libraries of a process."""

import logging
from typing import Any

import structlog

from runtime.console_lines import ESCAPES
from runtime.log_writer import LogWriter, standard_output
from snapshot import StoreSettings


class WriterHandler(logging.Handler):
    """Gives log records to the writer of the process."""

    def __init__(self, writer: LogWriter) -> None:
        super().__init__()
        self._writer = writer

    def emit(self, record: logging.LogRecord) -> None:
        """Called by logging."""
        try:
            self._writer.write(_line(self.format(record)))
        except Exception:  # noqa: BLE001 - logging's rule: a record that cannot be formatted goes to standard error
            self.handleError(record)

    def flush(self) -> None:
        """Called by logging when the process ends."""
        self._writer.flush()

    def close(self) -> None:
        """Called by logging when the process ends."""
        self._writer.close()
        super().close()


def configure(settings: StoreSettings, part: str) -> LogWriter:
    """Use one format and one writer for everything a process logs, through structlog, gunicorn or Dask."""
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
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_renderers(settings, part)],
    )
    writer = LogWriter(standard_output(), lambda lost: _lost_line(formatter, lost))
    handler = WriterHandler(writer)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(settings.log_level.upper())
    return writer


def _renderers(settings: StoreSettings, part: str) -> list[Any]:
    if settings.log_format == "console":
        return [
            _escape,
            structlog.dev.ConsoleRenderer(
                colors=False,
                pad_event_to=0,
                pad_level=False,
                # The default prints the variables of every frame, passwords included.
                exception_formatter=structlog.dev.plain_traceback,
            ),
        ]

    def with_part(_logger: Any, _name: str, event: Any) -> Any:
        event["part"] = part
        return event

    return [with_part, structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]


def _escape(_logger: Any, _name: str, event: Any) -> Any:
    """Write control characters of texts as escapes: a name must not begin a line, nor move the cursor of a terminal."""
    return {name: value.translate(ESCAPES) if isinstance(value, str) else value for name, value in event.items()}


def _lost_line(formatter: logging.Formatter, lost: int) -> bytes:
    record = logging.LogRecord(__name__, logging.WARNING, __file__, 0, "%d log lines were lost", (lost,), None)
    return _line(formatter.format(record))


def _line(text: str) -> bytes:
    return f"{text}\n".encode(errors="backslashreplace")
