"""Errors of the HTTP interface: problem details (RFC 9457), and the shape that OpenAI's clients expect below /v1."""

import logging
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from core.platform.errors import (
    AppError,
    BudgetError,
    CancelledError,
    ForbiddenError,
    InputError,
    NotFoundError,
    OutOfSpaceError,
    RetryableServiceError,
    ServiceError,
)
from core.platform.plain_text import storable

Responses = dict[int | str, dict[str, Any]]
"""Documentation of responses by status, for FastAPI."""
_LOG = logging.getLogger(__name__)
PROBLEM_TYPE = "application/problem+json"
OPENAI_PATH = "/v1/"
_STATUSES: tuple[tuple[type[AppError], int], ...] = (
    (NotFoundError, 404),
    (ForbiddenError, 403),
    (InputError, 422),
    (CancelledError, 409),
    (BudgetError, 409),
    (OutOfSpaceError, 507),
    (ServiceError, 503),
)
_RETRY_SECONDS = 5
_OPENAI_CODES: dict[str, tuple[str, str | None]] = {
    "api.problem.model": ("model_not_found", "model"),
    "api.problem.embedder": ("model_not_found", "model"),
    "api.problem.unauthorized": ("invalid_api_key", None),
    "api.problem.busy": ("rate_limit_exceeded", None),
    "run.question_too_long": ("context_length_exceeded", "messages"),
}
"""(code, parameter) that clients evaluate."""


class RefusedRequest(AppError):
    """A request that is refused with a status of its own."""

    def __init__(self, status: int, key: str, **params: object) -> None:
        super().__init__(key, **params)
        self.status = status
        self.headers: dict[str, str] = {}


class Problem(BaseModel):
    """Problem details of RFC 9457."""

    type: str = Field(description="urn:graphtalk: and what happened; stable, for programs")
    title: str = Field(description="the status in words")
    status: int
    detail: str = Field(description="what happened and what to do, for people")


class OpenAiProblem(BaseModel):
    message: str = Field(description="what happened and what to do, for people")
    type: str
    param: str | None
    code: str


class OpenAiError(BaseModel):
    """What clients of OpenAI expect."""

    error: OpenAiProblem


def handle_problems(app: FastAPI) -> None:
    app.add_exception_handler(AppError, _app_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(Exception, _unexpected)


def problem(path: str, error: AppError) -> JSONResponse:
    status = _status_of(error)
    headers = dict(error.headers) if isinstance(error, RefusedRequest) else {}
    if isinstance(error, RetryableServiceError):
        headers["Retry-After"] = str(_RETRY_SECONDS)
    return _response(path, status, error.key, str(error), headers)


def openai_error(error: AppError) -> dict[str, Any]:
    """The error as data of a server-sent event."""
    return _openai(_status_of(error), error.key, str(error))


async def _app_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, AppError)
    return problem(request.url.path, error)


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    """Names the invalid field, never its value, which may be long or secret."""
    assert isinstance(error, RequestValidationError)
    first, path = error.errors()[0], request.url.path
    place = ".".join(map(str, first["loc"]))
    if first["type"] == "json_invalid":
        return problem(path, RefusedRequest(400, "api.problem.json", reason=first.get("ctx", {}).get("error", "")))
    status = 400 if path.startswith(OPENAI_PATH) else 422
    return problem(path, RefusedRequest(status, "api.problem.invalid", place=place, reason=first["msg"]))


async def _http_error(request: Request, error: Exception) -> JSONResponse:
    """Handles refusals of the framework: unknown paths, other methods, too large bodies."""
    assert isinstance(error, HTTPException)
    kind = HTTPStatus(error.status_code).phrase.lower().replace(" ", "_")
    return _response(request.url.path, error.status_code, f"http.{kind}", str(error.detail), dict(error.headers or {}))


async def _unexpected(request: Request, error: Exception) -> JSONResponse:
    _LOG.error("a request to %s failed", request.url.path, exc_info=error)
    return problem(request.url.path, RefusedRequest(500, "api.problem.unexpected", kind=type(error).__name__))


def _status_of(error: AppError) -> int:
    if isinstance(error, RefusedRequest):
        return error.status
    return next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)


def _response(path: str, status: int, key: str, detail: str, headers: dict[str, str]) -> JSONResponse:
    if path.startswith(OPENAI_PATH):
        return JSONResponse(_openai(status, key, detail), status, headers)
    title = HTTPStatus(status).phrase
    body = Problem(type=f"urn:graphtalk:{key}", title=title, status=status, detail=storable(detail))
    return JSONResponse(body.model_dump(), status, headers, media_type=PROBLEM_TYPE)


def _openai(status: int, key: str, detail: str) -> dict[str, Any]:
    kind = "invalid_request_error" if status < 500 else "server_error"
    code, parameter = _OPENAI_CODES.get(key, (key, None))
    return {"error": {"message": storable(detail), "type": kind, "param": parameter, "code": code}}
