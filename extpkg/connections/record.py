"""A connection's file: strict JSON, the configuration in plain text and every credential sealed."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from extpkg.connections.seal import NONCE_BYTES, TAG_BYTES, Place, Sealed
from extpkg.document.strict_json import parse_json
from extpkg.errors import DocumentInvalid
from extpkg.json_schema import Schema, compile_schema

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT: Final = "extpkg.connection/1"
"""The format of the file, and what a seal is bound to; other rules get another name."""

CONNECTION: Final = "default"
"""The reference of a Builtin's one connection (S047)."""

_BASE64: Final = "^[A-Za-z0-9+/]*={0,2}$"
_SCHEMA: Final = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "additionalProperties": False,
    "required": ["format", "extension", "connection", "config", "key", "credentials"],
    "properties": {
        "format": {"const": FORMAT},
        "extension": {"type": "string"},
        "connection": {"type": "string"},
        "config": {"type": "object"},
        "key": {"type": ["string", "null"], "pattern": "^[0-9a-f]{16}$"},
        "credentials": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "additionalProperties": False,
                "required": ["nonce", "sealed"],
                "properties": {
                    "nonce": {"type": "string", "pattern": _BASE64},
                    "sealed": {"type": "string", "pattern": _BASE64},
                },
            },
        },
    },
}


class RecordInvalid(Exception):
    """Bytes that are no record; nothing of them is in its text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What a connection's file says. `key` names the master key of every seal, None where there is none."""

    extension: str
    connection: str = CONNECTION
    config: Mapping[str, Any] = field(default_factory=dict)
    key: str | None = None
    credentials: Mapping[str, Sealed] = field(default_factory=dict)

    def place(self, name: str) -> Place:
        """Return the place of the credential of that field in this record."""
        return Place(
            format=FORMAT,
            extension=self.extension,
            connection=self.connection,
            field=name,
            config=self.config,
        )


def encode(record: Record) -> bytes:
    """Return the bytes of a record: JSON in ASCII, members sorted."""
    members = {
        "format": FORMAT,
        "extension": record.extension,
        "connection": record.connection,
        "config": dict(record.config),
        "key": record.key,
        "credentials": {
            name: {"nonce": _text(sealed.nonce), "sealed": _text(sealed.text)}
            for name, sealed in record.credentials.items()
        },
    }
    return json.dumps(members, indent=2, sort_keys=True).encode() + b"\n"


def decode(data: bytes) -> Record:
    """Return the record that bytes hold; raises `RecordInvalid`, to which nothing is chained."""
    try:
        members = parse_json(data)
        if _schema().accepts(members):
            return _record(members)
    except (DocumentInvalid, ValueError):
        pass
    raise RecordInvalid("it is not what extpkg writes")


def _record(members: Any) -> Record:
    credentials = {name: _sealed(row) for name, row in members["credentials"].items()}
    if (members["key"] is None) != (not credentials):
        raise ValueError
    return Record(
        extension=members["extension"],
        connection=members["connection"],
        config=members["config"],
        key=members["key"],
        credentials=credentials,
    )


def _sealed(row: Any) -> Sealed:
    sealed = Sealed(
        nonce=base64.b64decode(row["nonce"], validate=True),
        text=base64.b64decode(row["sealed"], validate=True),
    )
    if len(sealed.nonce) != NONCE_BYTES or len(sealed.text) <= TAG_BYTES:
        raise ValueError
    return sealed


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


@cache
def _schema() -> Schema:
    return compile_schema(_SCHEMA)
