"""The start-up rows of the registry corpus; its other rows concern a publication library."""

from __future__ import annotations

from typing import Any

import pytest
from corpus import corpus
from extensions import definition, extension

from extpkg.registry import EMPTY, Fault, Registry, RegistryInvalid, register

CASES = [case for case in corpus("conformance/registry.json") if case["id"].startswith("reg-bootstrap")]


def bootstrap(step: dict[str, Any], onto: Registry) -> Registry:
    return register(
        [
            extension(definition=definition(domain, version=version, description=payload))
            for domain, version, payload in step["defs"]
        ],
        onto=onto,
    )


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_bootstrap(case: dict[str, Any]) -> None:
    """P111, P112."""
    registry = EMPTY
    for step in case["steps"]:
        assert step["op"] == "bootstrap"
        if step["expect"] == "ok":
            registry = bootstrap(step, registry)
        else:
            assert step["expect"] == "conflict"
            with pytest.raises(RegistryInvalid) as caught:
                bootstrap(step, registry)
            assert caught.value.reason is Fault.DUPLICATE_VERSION
