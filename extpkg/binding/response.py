"""From an answer to the data of a call, or to the error that it means (R-RES-1, R-RES-4).

Nothing that the upstream said reaches an error: neither a body, nor a header, nor a URL; of the status the
number alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from extpkg.document.strict_json import parse_answer
from extpkg.errors import DocumentInvalid, ExtensionError
from extpkg.result import result_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from extpkg.binding.request import ActionPlan
    from extpkg.errors import ErrorCode
    from extpkg.exchange import Response

CODES: Final[Mapping[int, ErrorCode]] = {
    400: "validation",
    401: "provider_auth_unavailable",
    403: "permission_denied",
    404: "not_found",
    409: "conflict",
    410: "not_found",
    412: "conflict",
    422: "validation",
    429: "rate_limited",
}
"""What a status means that is no success; every other is `upstream_failure` (R-RES-1)."""

_MEANINGS: Final[Mapping[str, str]] = {
    "validation": "refuses the request",
    "provider_auth_unavailable": "does not accept the credential",
    "permission_denied": "does not permit this",
    "not_found": "has nothing there",
    "conflict": "says that this conflicts with what is there",
    "rate_limited": "asks to slow down; wait before the next call",
    "upstream_failure": "did not answer as the action expects",
}

_NO_CONTENT: Final = frozenset({204, 205})


def read_response(plan: ActionPlan, response: Response) -> Any:
    """Return the data of a whole answer: JSON read strictly, text as a string, null where there is none.

    Raises `ExtensionError`: by status where that is no success (R-RES-1), else `upstream_failure` with a
    `details.reason` for a content type that is not listed, a body that is not what it is said to be, and data
    over the action's budget.
    """
    policy = plan.response
    status = response.status
    if status not in policy.success_statuses:
        raise _refused(status)
    if status in _NO_CONTENT or policy.mode == "empty":
        return None
    media_type = _media_type(response)
    if media_type not in policy.content_types:
        raise _failure("the answer has a content type that the action does not list", "content_type")
    data = _text(response.body) if media_type.startswith("text/") else _json(response.body)
    if len(result_bytes(data)) > policy.max_bytes:
        raise _failure(f"the result is larger than {policy.max_bytes:,} bytes", "result_too_large")
    return data


def _media_type(response: Response) -> str:
    """Return the media type without case and parameters, empty where there is not exactly one (R-RES-4)."""
    values = response.values("content-type")
    return values[0].partition(";")[0].strip(" \t").lower() if len(values) == 1 else ""


def _json(body: bytes) -> Any:
    try:
        return parse_answer(body)
    except DocumentInvalid:
        pass
    raise _failure("the answer is not the JSON that it is said to be", "json_malformed")


def _text(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError:
        pass
    raise _failure("the answer is a text that is not UTF-8", "text_not_utf8")


def _refused(status: int) -> ExtensionError:
    code = CODES.get(status, "upstream_failure")
    details = {"reason": "status"} if code == "upstream_failure" else None
    return ExtensionError(code, f"the service {_MEANINGS[code]} (status {status})", details)


def _failure(message: str, reason: str) -> ExtensionError:
    return ExtensionError("upstream_failure", message, {"reason": reason})
