"""What goes wrong when the API is asked: a refusal with its problem, or no answer at all."""

from typing import Any

import httpx


class ApiError(Exception):
    """The service refused, and says why: `status`, `detail`, `suggestions`, and the whole `problem` (RFC 9457)."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        self.status = status
        self.problem = problem
        self.detail: str = problem.get("detail", "")
        self.suggestions: list[str] = problem.get("suggestions", [])
        super().__init__(f"{status} {problem.get('title', '')}: {self.detail}")


class NoAnswer(Exception):
    """The service could not be reached, or broke off, as often as it was tried."""


def refusal(response: httpx.Response) -> ApiError:
    """The error of an answer that is none. What a proxy answers may be no problem+json: its first words are shown."""
    try:
        problem = response.json()
    except ValueError:
        problem = None
    if not isinstance(problem, dict):
        problem = {"title": response.reason_phrase, "detail": response.text[:200]}
    return ApiError(response.status_code, problem)
