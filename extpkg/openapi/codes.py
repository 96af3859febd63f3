# ruff: noqa: E501 - one row, one line
"""Every code that authoring says, in one table: what it means to the author of an API, and what mends it.

A code in capitals stands for what is written there: `param-style-STYLE` is `param-style-deepObject` too.
"""

from __future__ import annotations

import enum
from typing import Final, NamedTuple


class Kind(enum.Enum):
    """What a code does: it leaves an operation out, says what was changed, or stops the whole document."""

    LEFT_OUT = "left out"
    WARNING = "warning"
    EITHER = "left out where required, else a warning"
    REFUSED = "nothing is authored"


class Code(NamedTuple):
    """One row: the code, what it does, what it means, and what to do about it."""

    code: str
    kind: Kind
    meaning: str
    remedy: str


_OUT, _WARN, _EITHER, _NONE = Kind.LEFT_OUT, Kind.WARNING, Kind.EITHER, Kind.REFUSED

CODES: Final = (
    Code("absolute-ref", _OUT, "A `$ref` is an absolute path or URL.", "Put the file beside the document and refer to it relatively."),
    Code("auth-not-required", _WARN, "Actions need no credential although the document has schemes.", "If they do need one: `--require-auth SCHEME`."),
    Code("auth-option", _NONE, "An option names a security scheme that is not there or cannot be used.", "Name one that the message lists."),
    Code("auth-optional", _WARN, "The operation also works without a credential; the action has one.", "Take `auth` off the action if it should not."),
    Code("auth-optional-dropped", _WARN, "The only scheme cannot be used, and the operation works without.", "Nothing, or `--auth-as`."),
    Code("auth-scopes-dropped", _WARN, "What a requirement lists are no OAuth scopes.", "Nothing: only OAuth schemes have scopes."),
    Code("base-path-not-used", _WARN, "`--base-url` lacks the path that the document puts before every path.", "Add the path to `--base-url`."),
    Code("base-url-refused", _NONE, "`--base-url` is no endpoint: https, a public host name, a plain path.", "Give another URL."),
    Code("body-form-urlencoded", _OUT, "The body is a form, and an action sends JSON.", "Document a JSON body if the API takes one."),
    Code("body-multipart", _OUT, "The body is multipart, mostly a file.", "Document a JSON body if the API takes one."),
    Code("body-octet-stream", _OUT, "The body is binary.", "None: actions send JSON."),
    Code("body-on-get", _EITHER, "A GET has a body.", "Move it into the query."),
    Code("body-other", _OUT, "The body has a media type that is not JSON.", "Document a JSON body if the API takes one."),
    Code("body-required", _WARN, "The body is optional, but what it must hold is required here.", "Loosen `required` in the action by hand if an empty body means something."),
    Code("body-text", _OUT, "The body is text.", "Document a JSON body if the API takes one."),
    Code("body-type-assumed", _WARN, "The document does not say the media type of the body; JSON is sent.", "Write the type into the document."),
    Code("body-xml", _OUT, "The body is XML.", "Document a JSON body if the API takes one."),
    Code("collection-unpaged", _WARN, "A list is answered, and no parameter is known to bound it: results over 64 KiB fail.", "Make sure that answers are short."),
    Code("credential-parameter", _WARN, "A parameter is a credential, which an Agent is never asked for.", "Declare it as a security scheme."),
    Code("credential-required", _OUT, "A required parameter is a credential that no scheme declares.", "Declare it as a security scheme."),
    Code("deprecated", _WARN, "The operation is deprecated.", "Leave it out with `--exclude`, if it will go."),
    Code("domain", _NONE, "There is no domain, or it is taken.", "`--domain NAME`."),
    Code("duplicate-action-name", _NONE, "Operations would have the same name.", "`x-agentteam-action` on all but one, or `--exclude`."),
    Code("duplicate-profile-id", _NONE, "Security schemes would make the same profile.", "Rename one in the document."),
    Code("escaping-ref", _OUT, "A `$ref` leads out of the directory of the document.", "Move the file below it."),
    Code("example-not-found", _OUT, "No valid input was found, and what changes something must have an example.", "Write an `example` into the document."),
    Code("header-made-static", _WARN, "A header that leaves no choice, or names the version, is always sent.", "Change `static_headers` in the action."),
    Code("input-large", _WARN, "The input schema is over 64 KiB, which an Agent has to read.", "Shorten it by hand."),
    Code("input-name-collision", _OUT, "Two inputs would have the same name even with their places added.", "Rename one in the document."),
    Code("long-name", _WARN, "The name has over 64 characters; it is kept whole.", "`x-agentteam-action`."),
    Code("malformed", _OUT, "The operation is no mapping.", "Mend the document."),
    Code("method-METHOD", _OUT, "HEAD, OPTIONS and TRACE give an Agent no data.", "None."),
    Code("name-from-path", _WARN, "There is no usable `operationId`; the name comes from method and path.", "Give the operation one."),
    Code("name-invalid", _OUT, "`x-agentteam-action` is no name: lower-case words joined by `-`.", "Mend it."),
    Code("name-too-long", _OUT, "The name would have over 128 characters.", "`x-agentteam-action`."),
    Code("not-valid", _OUT, "What was made of the operation does not validate; the message says which rule.", "Report it: authoring should have known."),
    Code("nothing-authored", _NONE, "No operation could be taken.", "See the reasons of each."),
    Code("nullable-without-effect", _WARN, "`nullable` stands where it means nothing (3.0), so null is refused.", "Put `type` beside it."),
    Code("output-cut", _WARN, "The output schema is over 16 KiB; what is deep in it is left open.", "None: results are not changed by it."),
    Code("param-LOCATION-array-complex", _EITHER, "A parameter is an array of objects or arrays.", "None: such a parameter cannot be sent."),
    Code("param-LOCATION-null-only", _EITHER, "A parameter admits nothing but null.", "Mend the document."),
    Code("param-LOCATION-object", _EITHER, "A parameter is an object.", "None: such a parameter cannot be sent."),
    Code("param-content", _EITHER, "A parameter is a document of its own (`content`).", "None: such a parameter cannot be sent."),
    Code("param-cookie", _EITHER, "A parameter is a cookie.", "None: actions send no cookies."),
    Code("param-header-ignored", _WARN, "`Accept` without a value, or `Content-Type`: the engine writes them.", "None."),
    Code("param-header-reserved", _EITHER, "A header that only the engine writes, `Authorization` for one.", "Declare a security scheme."),
    Code("param-location", _EITHER, "A parameter stands where none can.", "Mend `in`."),
    Code("param-name", _EITHER, "A parameter has no name that can be sent.", "Mend `name`."),
    Code("param-narrowed", _WARN, "A parameter may be an object or scalar; only the scalar is kept.", "None."),
    Code("param-path-unused", _WARN, "A path parameter has no placeholder.", "Mend the path."),
    Code("param-style-STYLE", _EITHER, "A parameter is written in a style other than `simple` or `form`.", "None: the style cannot be sent."),
    Code("param-type-assumed", _WARN, "A parameter has no type; text, number or boolean is taken.", "Write the type into the document."),
    Code("path-fragment-stripped", _WARN, "What follows `#` in the path is never sent.", "None."),
    Code("path-has-query", _OUT, "The path has a query.", "Make it parameters in the document."),
    Code("path-invalid", _OUT, "The path is none that can be requested.", "Mend it."),
    Code("path-placeholder-repeated", _OUT, "A placeholder stands in the path twice.", "Rename one."),
    Code("path-placeholder-undeclared", _OUT, "A placeholder is declared by no parameter.", "Declare it."),
    Code("ref-cycle", _OUT, "A `$ref` leads back to itself.", "Mend the document."),
    Code("ref-not-allowed", _WARN, "A `$ref` stands where the specification has none; it is followed.", "None."),
    Code("remote-ref", _OUT, "A `$ref` leads to another host; nothing is fetched.", "Bundle the document."),
    Code("response-binary", _OUT, "The answer is a file.", "None: an action reads JSON or text."),
    Code("response-body-unsaid", _WARN, "A success has no body in the document, another has.", "Document what it answers."),
    Code("response-default-assumed", _WARN, "Only `default` is documented; 200 is taken as success.", "Document the status."),
    Code("response-no-success", _OUT, "No answer that means success is documented.", "Document one."),
    Code("response-range-assumed", _WARN, "`2XX` is taken as 200, 201, 202 and 204.", "Document the status."),
    Code("response-redirect-only", _OUT, "The answer is a redirect, which is never followed.", "None."),
    Code("response-status-dropped", _WARN, "A success that answers a file is no success here; the others are.", "None."),
    Code("response-streaming", _OUT, "The answer is a stream.", "None: an action reads one answer."),
    Code("response-type-assumed", _WARN, "The document does not say the media type of the answer; JSON is read.", "Write it into the document."),
    Code("response-xml", _OUT, "The answer is XML.", "Document a JSON answer if there is one."),
    Code("safety-downgrade", _OUT, "`x-agentteam-safety` makes less of an operation that destroys.", "Take it away."),
    Code("safety-from-name", _WARN, "The name says delete, cancel or the like: taken as destructive.", "Change `safety` in the action, if it is not."),
    Code("safety-get-mutates", _WARN, "A GET whose name says delete or the like is taken as a mutation.", "`x-agentteam-safety: read`, if it only reads."),
    Code("safety-invalid", _OUT, "`x-agentteam-safety` is no class, or not one of the method.", "read, mutation or destructive."),
    Code("schema-cycle", _OUT, "A schema refers to itself and consumes nothing.", "Mend the document."),
    Code("schema-default-dropped", _WARN, "A `default` that its own schema refuses is dropped.", "Mend the document."),
    Code("schema-dynamic-ref", _OUT, "A schema uses `$dynamicRef`.", "Use `$ref`."),
    Code("schema-enum-empty", _WARN, "An empty `enum` is dropped.", "Mend the document."),
    Code("schema-enum-off-type", _WARN, "Members of an `enum` that `type` refuses are dropped.", "Mend the document."),
    Code("schema-integer-domain", _EITHER, "A whole number beyond 2^53-1: a bound or default is dropped, an `enum` leaves the operation out.", "Use strings."),
    Code("schema-keyword-malformed", _WARN, "A keyword has a value that it cannot have; it is dropped.", "Mend the document."),
    Code("schema-malformed", _OUT, "A schema is none.", "Mend the document."),
    Code("schema-pattern-dropped", _WARN, "A pattern uses what linear matching cannot do (look-around, back-references).", "Write another pattern."),
    Code("schema-range-empty", _WARN, "Bounds that admit nothing are dropped.", "Mend the document."),
    Code("schema-required-undeclared", _WARN, "A required member of a closed object is not declared.", "Declare it."),
    Code("schema-too-deep", _OUT, "A schema nests too deeply.", "Make it flatter."),
    Code("schema-too-large", _OUT, "An input schema is larger than an action can hold.", "Make it smaller."),
    Code("schema-type-unknown", _WARN, "A `type` that JSON Schema does not know is dropped.", "Mend the document."),
    Code("schema-unfit-text", _OUT, "A name or value in a schema has characters that hide or reorder text.", "Take them out."),
    Code("security-and", _OUT, "Two credentials are needed together.", "None: an action has one."),
    Code("security-apikey-in-Authorization", _OUT, "A key goes into `Authorization` in a form that the document does not say.", "`--auth-as NAME=oauth2_bearer`, if `Bearer TOKEN` works."),
    Code("security-apikey-reserved-header", _OUT, "A key goes into a header that only the engine writes.", "None."),
    Code("security-basic", _OUT, "HTTP basic authentication is needed.", "None."),
    Code("security-cookie", _OUT, "The key is a cookie.", "None."),
    Code("security-digest", _OUT, "HTTP digest authentication is needed.", "None."),
    Code("security-mtls", _OUT, "A client certificate is needed.", "None."),
    Code("security-unknown", _OUT, "A scheme is required that the document does not have.", "Declare it."),
    Code("security-unsupported", _OUT, "A scheme is of a kind that actions cannot use.", "None."),
    Code("server-missing", _NONE, "No server can be used as it is written.", "`--base-url` or `--server-var`; the message says which."),
    Code("server-other-origin", _OUT, "The operation is served from another origin.", "Author a second package with `--base-url` and `--include`."),
    Code("server-other-prefix", _OUT, "The operation is on the same host, but not under the base URL.", "`--base-url` with the common path."),
    Code("server-refused", _WARN, "A server of the document is no endpoint, and another is taken.", "Mend the document."),
    Code("server-variable", _NONE, "A server variable is unknown or has a value that is not allowed.", "Mend `--server-var`."),
    Code("source-too-large", _OUT, "What a reference leads to is beyond the bounds of a source.", "Make it smaller."),
    Code("text-cut", _WARN, "A text was too long and was cut at a word.", "Shorten it."),
    Code("unreadable-ref", _OUT, "The file of a `$ref` cannot be read.", "Mend the document."),
    Code("unresolvable-ref", _OUT, "A `$ref` leads to nothing.", "Mend the document."),
)  # fmt: skip
"""Every code, in order."""


def table() -> str:
    """Return the codes as a table in Markdown."""
    lines = ["| code | | what it means | what to do |", "|---|---|---|---|"]
    lines += [f"| `{row.code}` | {row.kind.value} | {row.meaning} | {row.remedy} |" for row in CODES]
    return "\n".join(lines) + "\n"
