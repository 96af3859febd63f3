"""The RFC 8785 corpus: vectors, numbers, and the published sequence of doubles."""

from __future__ import annotations

import hashlib
import json
import math
import struct
from typing import TYPE_CHECKING, Any

import pytest
from corpus import corpus

from extpkg.canonical import canonical_json, number_text
from extpkg.errors import DocumentInvalid

if TYPE_CHECKING:
    from collections.abc import Iterator


def _double(bits: str) -> float:
    return float(struct.unpack(">d", bytes.fromhex(bits))[0])


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("duplicate key")
    return dict(pairs)


def test_corpus_vectors() -> None:
    for case in corpus("conformance/jcs.json")["vectors"]:
        if case["verdict"] == "accept":
            value = json.loads(case["input"], object_pairs_hook=_pairs)
            canonical = canonical_json(value)
            assert canonical.hex() == case["canonical_hex"], case["id"]
            assert hashlib.sha256(canonical).hexdigest() == case["sha256"], case["id"]
            assert canonical_json(json.loads(canonical, parse_int=float)) == canonical, case["id"]
            continue
        with pytest.raises((ValueError, DocumentInvalid)):
            canonical_json(json.loads(case["input"], object_pairs_hook=_pairs))


def test_corpus_numbers() -> None:
    for case in corpus("conformance/jcs.json")["numbers"]:
        number = _double(case["ieee754"])
        if case["canonical"] is None:
            with pytest.raises(DocumentInvalid):
                number_text(number)
        else:
            assert number_text(number) == case["canonical"], case


def test_corpus_sequence_of_a_hundred_thousand_doubles() -> None:
    """The published generator: a static list, two thousand neighbours, then a SHA-256 chain of doubles."""
    sequence = corpus("conformance/jcs.json")["sequence"]
    expected = {int(count): digest for count, digest in sequence["sha256"].items() if int(count) <= 100_000}
    running = hashlib.sha256()
    for ran, bits in enumerate(_doubles(sequence["static"]), 1):
        running.update(f"{bits:x},{number_text(_double(f'{bits:016x}'))}\n".encode())
        if ran in expected:
            assert running.hexdigest() == expected[ran], ran
        if ran == max(expected):
            break


def _doubles(static: list[str]) -> Iterator[int]:
    yield from (int(bits, 16) for bits in static)
    yield from range(0x0010000000000000, 0x0010000000000000 + 2000)
    state = bytes(32)
    while True:
        state = hashlib.sha256(state).digest()
        for offset in range(0, 32, 8):
            bits = int.from_bytes(state[offset : offset + 8], "little")
            number = _double(f"{bits:016x}")
            if number != 0 and math.isfinite(number):
                yield bits
