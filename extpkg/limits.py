"""Every bound of the toolkit, named once (rulings R-DOC-1, R-SCH-5, R-RES-2)."""

from typing import Final

DOCUMENT_BYTES: Final = 1 << 20
"""Bytes of one document, and of one JSON input."""

DOCUMENT_DEPTH: Final = 64
"""Nested collections of one document; the root collection is the first."""

DOCUMENT_VALUES: Final = 100_000
"""Values of one document, collections included; keys are not counted."""

SAFE_INTEGER: Final = 2**53 - 1
"""The largest whole number that every JSON reader keeps exactly."""

ANSWER_DIGITS: Final = 1_000
"""Digits of a whole number that a provider wrote (R-DOC-8)."""

SOURCE_BYTES: Final = 64 << 20
"""Bytes of an authoring source that is hashed for comparison (R-META-4)."""

SOURCE_VALUES: Final = 1_000_000
"""Values of an authoring source, all its files together, aliases expanded; keys are not counted."""

SOURCE_FILES: Final = 10_000
"""Files that one authoring source refers to."""

PATTERN_REPETITION: Final = 1_000
"""The largest count of a counted repetition in a pattern."""

PATTERN_STATES: Final = 10_000
"""States of one pattern after counted repetition is unfolded."""

EVALUATIONS: Final = 1_000_000
"""Keyword evaluations of one validation (R-SCH-5)."""

EVALUATION_DEPTH: Final = 256
"""Nested applicators and references at one place of an instance (R-SCH-5)."""

RESULT_BYTES: Final = 64 << 10
"""Bytes of a final result, and the default and maximum of `max_bytes`."""

CATALOG_CHARACTERS: Final = 8_000
"""Characters of one action's catalog above which its weight is reported."""

FINDINGS_PER_FILE: Final = 1_000
"""Findings that a report shows for one file; it says how many more there are."""

RAW_BYTES: Final = 1 << 20
"""Bytes of one answer's body before anything reads it, unless a Builtin says otherwise (R-RES-2)."""

HEADER_BYTES: Final = 64 << 10
"""Bytes of one answer's status lines, fields, trailers and chunk extensions, every 1xx included (R-RES-2)."""

CONNECT_SECONDS: Final = 5.0
"""From the start of an exchange until a connection stands: resolving and every try are part of it."""

TRY_SECONDS: Final = 2.0
"""One try to connect, while another address is left (R-RES-3)."""

HEADER_SECONDS: Final = 10.0
"""The TLS handshake and the wait for the end of the headers, together."""

TOTAL_SECONDS: Final = 30.0
"""One exchange from its start to the last byte, unless a Builtin says otherwise (R-RES-2)."""
