"""The audit log: one line for every request that needs a key to write, with the name of the key, at any log level."""

import logging
from typing import Final

import structlog

from service.web.http import HttpResponse, Request

NAME: Final = "cotag.audit"

log = structlog.get_logger(NAME)


def open_audit_log() -> None:
    """Have the audit log written even if the settings log only warnings."""
    logging.getLogger(NAME).setLevel(logging.INFO)


def log_write(request: Request, response: HttpResponse) -> None:
    """Log who wrote what, and how it was answered."""
    log.info(
        "write",
        key=request.key,
        method=request.method,
        path=request.path,
        status=response.status,
        request_id=request.id,
    )
