"""Generated packages with inputs for them: `python tests/bound_packages.py SEED COUNT` binds them all.

Everything comes from one seeded generator, so that a second process makes the same packages from the number
alone. Each pair is a sound package and an input that its schema accepts; some inputs no request can carry.
"""

from __future__ import annotations

import json
import random
import sys
from typing import Any, NamedTuple

from extpkg import ExtensionError, compile_action
from extpkg.definition.build import build

SCHEMA = "https://json-schema.org/draft/2020-12/schema"
TEXTS = [
    *["", "a", ".", "..", "...", "a/b", "a b", "ä", "日本", "😀", "100%", "%2F", "a,b", "?q=1&x#f"],
    *["+", "~-._", "\\", "\r\nx: y", "\0", "\u560d", "\u2028", "é", "'\"", "{x}", "@f", "tail "],
    *[" head", "in ner", "\x7f", "\ufeff"],
]
NUMBERS = [
    0, -0.0, 1, -1, 7.0, 0.1, 1.5, -2.25, 1e21, 1e-7, 123456789012345680000.0, 5e-324, 1.7976931348623157e308,
    2**53 - 1, -(2**53) + 1, 0.000001, 1e20, 4.35, 333333333.3333333,
]  # fmt: skip
NAMES = [
    "a",
    "b",
    "A",
    "x-y",
    "q[]",
    "é",
    "a b",
    "~",
    "a/b",
    "\U0001f600",
    "\uff5a",
    "0",
    "10",
    "filter[k]",
    "",
]
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
HEADERS = ["X-One", "x-two", "Accept", "If-None-Match", "X-Three"]


class Pair(NamedTuple):
    base_url: str
    action: dict[str, Any]
    value: dict[str, Any]


def pointer(*tokens: str) -> str:
    return "".join("/" + token.replace("~", "~0").replace("/", "~1") for token in tokens)


def scalar(random: random.Random) -> tuple[dict[str, Any], Any]:
    """Return the schema of a scalar and a value of it."""
    kind = random.choice(["string", "string", "number", "integer", "boolean"])
    if kind == "string":
        return {"type": "string"}, random.choice(TEXTS)
    if kind == "boolean":
        return {"type": "boolean"}, random.choice([True, False])
    numbers = NUMBERS if kind == "number" else [n for n in NUMBERS if n == int(n)]
    return {"type": kind}, random.choice(numbers)


def bindable(random: random.Random) -> tuple[dict[str, Any], Any]:
    """Return the schema of what goes outside a body, a scalar or an array of them, and a value."""
    if random.random() < 0.65:
        return scalar(random)
    of, _ = scalar(random)
    pool: dict[str, list[Any]] = {
        "string": TEXTS,
        "boolean": [True, False],
        "number": NUMBERS,
        "integer": [0, 3, -9, 2**53 - 1],
    }
    length = random.choice([0, 1, 1, 2, 3])
    return {"type": "array", "items": of}, [random.choice(pool[of["type"]]) for _ in range(length)]


def any_json(random: random.Random, depth: int = 3) -> Any:
    """Return any JSON value."""
    roll = random.random()
    if depth and roll < 0.2:
        return [any_json(random, depth - 1) for _ in range(random.randrange(3))]
    if depth and roll < 0.45:
        return {name: any_json(random, depth - 1) for name in random.sample(NAMES, random.randrange(4))}
    return random.choice([None, True, False, random.choice(TEXTS), random.choice(NUMBERS)])


class Maker:
    """One package in the making: fields are declared, given a value (or none), and bound once each."""

    def __init__(self, random: random.Random) -> None:
        self.random = random
        self.schema: dict[str, Any] = {
            "type": "object", "additionalProperties": False, "required": [], "properties": {}
        }  # fmt: skip
        self.value: dict[str, Any] = {}
        self.count = 0

    def field(self, schema: dict[str, Any], value: Any, *, required: bool) -> str:
        """Declare a field, at the root or inside an object of its own, and return its pointer."""
        self.count += 1
        name = f"f{self.count}{self.random.choice(['', '~', '/', 'é', '%', ' '])}"
        given = required or self.random.random() < 0.7
        if self.random.random() < 0.25:
            return self._nested(name, schema, value, required=required, given=given)
        self.schema["properties"][name] = schema
        if required:
            self.schema["required"].append(name)
        if given:
            self.value[name] = value
        return pointer(name)

    def _nested(self, name: str, schema: dict[str, Any], value: Any, *, required: bool, given: bool) -> str:
        inner = self.random.choice(NAMES)
        outer = {"type": "object", "additionalProperties": False, "properties": {inner: schema}}
        if required:
            outer["required"] = [inner]
            self.schema["required"].append(name)
        self.schema["properties"][name] = outer
        if given:
            self.value[name] = {inner: value}
        elif self.random.random() < 0.5:
            self.value[name] = {}
        return pointer(name, inner)

    def path(self) -> tuple[str, list[dict[str, Any]]]:
        """Return a template and the parameters that fill it."""
        segments, rows = [], []
        for _ in range(self.random.randrange(4)):
            roll = self.random.random()
            if roll < 0.4:
                segments.append(self.random.choice(["v1", "items", "a;b", "%20", "x:y", "@me"]))
                continue
            names = [f"p{self.count + 1}"] if roll < 0.8 else [f"p{self.count + 1}", f"p{self.count + 2}"]
            for name in names:
                source = self.field(*bindable(self.random), required=True)
                rows.append({"from": source, "in": "path", "name": name})
            around = self.random.choice([("", ""), ("", ".json"), ("v", "")])
            segments.append(around[0] + "-".join(f"{{{name}}}" for name in names) + around[1])
        end = self.random.choice(["", "/"]) if segments else "/"
        return "/" + "/".join(segments) + (end if segments else ""), rows

    def parameters(self) -> list[dict[str, Any]]:
        """Return query and header parameters."""
        rows: list[dict[str, Any]] = []
        for name in self.random.sample(NAMES, self.random.randrange(5)):
            source = self.field(*bindable(self.random), required=False)
            row = {"from": source, "in": "query", "name": name, "style": "form"}
            rows.append(row | self.random.choice([{}, {"explode": True}, {"explode": False}]))
        for name in self.random.sample(HEADERS[:3], self.random.randrange(3)):
            source = self.field(*bindable(self.random), required=False)
            rows.append({"from": source, "in": "header", "name": name, "style": "simple"})
        self.random.shuffle(rows)
        return rows

    def body(self) -> dict[str, Any]:
        """Return a body of a few fields, or of one whole value."""
        kind = self.random.choice(["application/json", "application/vnd.x+json"])
        if self.random.random() < 0.2:
            source = self.field({"type": ["object", "array", "string", "number", "boolean", "null"]},
                                any_json(self.random), required=False)  # fmt: skip
            return {"content_type": kind, "mappings": [{"from": source, "to": ""}]}
        names = [name for name in NAMES if not name.isdigit()]
        targets = [[name] for name in self.random.sample(names, self.random.randrange(1, 4))]
        taken = {target[0] for target in targets}
        deep = next(name for name in names if name not in taken)
        targets += [[deep, name] for name in self.random.sample(names, self.random.randrange(3))]
        anything = {"type": ["object", "array", "string", "number", "boolean", "null"]}
        rows = [
            {"from": self.field(anything, any_json(self.random), required=False), "to": pointer(*target)}
            for target in targets
        ]
        self.random.shuffle(rows)
        return {"content_type": kind, "mappings": rows}


def pair(seed: int) -> Pair:
    """Return the package and input of a seed."""
    maker = Maker(random.Random(seed))  # noqa: S311 - a test's own
    template, rows = maker.path()
    rows = [*maker.parameters(), *rows]
    method = maker.random.choice(METHODS)
    binding: dict[str, Any] = {
        "method": method,
        "path": template,
        "parameters": rows,
        "response": {"mode": "empty", "success_statuses": [200]},
    }
    if maker.random.random() < 0.5:
        binding["static_headers"] = {HEADERS[4]: "a, b", HEADERS[3]: "*"}
    if method != "GET" and maker.random.random() < 0.7:
        binding["body"] = maker.body()
    base_url = maker.random.choice(
        ["https://api.example.com", "https://api.example.com:8443/v2/", "https://x.y/a"]
    )
    catalog = {
        "summary": "s",
        "description": "d",
        "safety": {"class": "destructive", "idempotent": False, "destructive": True},
        "input_schema": {"$schema": SCHEMA, **maker.schema},
        "output_schema": {"$schema": SCHEMA},
    }
    return Pair(base_url, {"name": "act", "catalog": catalog, "binding": binding}, maker.value)


def plan_of(made: Pair) -> Any:
    """Return the compiled action of a pair."""
    meta: dict[str, Any] = {"domain": "made", "version": 1, "name": "Made", "description": "d"}
    meta["endpoint"] = {"base_url": made.base_url}
    return compile_action(build(meta, [made.action]), "act")


def bound(made: Pair) -> list[Any] | str:
    """Return method, URL, headers, hexadecimal body, audit hash of a pair; its code where it is refused."""
    try:
        request = plan_of(made).bind(made.value)
    except ExtensionError as refused:
        return refused.code
    body = None if request.body is None else request.body.hex()
    return [request.method, request.url, [list(pair) for pair in request.headers], body, request.audit_hash]


if __name__ == "__main__":
    start, count = map(int, sys.argv[1:])
    print(json.dumps([bound(pair(seed)) for seed in range(start, start + count)]))
