"""Strategies for the values of a package's files: structurally sound, and no more than that."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Files = tuple[dict[str, Any], list[dict[str, Any]]]

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6)
NAMES = st.lists(
    st.sampled_from(["a", "b", "z", "A", "\ue000", "\U0001f600", "required", "type"]), unique=True, max_size=4
)
SLUG = st.sampled_from(["alpha", "beta", "gamma", "delta"])
SLUGS = st.lists(SLUG, min_size=1, max_size=3, unique=True)
HEADER = st.sampled_from(["X-One", "x-two", "Accept", "x-THREE"])
NUMBER = st.integers(-5, 5) | st.floats(-1e9, 1e9)
DATA = st.recursive(
    st.none() | st.booleans() | NUMBER | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)


def objects(schema: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    named = st.dictionaries(TEXT, schema, max_size=3)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.lists(st.sampled_from(["string", "null", "object"]), min_size=1, unique=True)
            | st.just("object"),
            "required": NAMES,
            "enum": st.lists(DATA, min_size=1, max_size=4),
            "dependentRequired": st.dictionaries(TEXT, NAMES, max_size=2),
            "const": DATA,
            "default": DATA,
            "examples": st.lists(DATA, max_size=3),
            "x-any": DATA,
            "title": TEXT,
            "maximum": NUMBER,
            "properties": named,
            "$defs": named,
            "allOf": st.lists(schema, max_size=2),
            "items": schema,
            "not": schema,
        },
    )


SCHEMA = st.recursive(st.booleans(), objects, max_leaves=8)
PARAMETER = st.one_of(
    st.builds(lambda n: {"from": f"/{n}", "in": "path", "name": n}, SLUG),
    st.builds(lambda n: {"from": "/q", "in": "query", "name": n, "style": "form"}, SLUG),
    st.builds(
        lambda n, e: {"from": "/q", "in": "query", "name": n, "style": "form", "explode": e},
        SLUG,
        st.booleans(),
    ),
    st.builds(lambda n: {"from": "/h", "in": "header", "name": n, "style": "simple"}, HEADER),
)
BODY = st.fixed_dictionaries(
    {
        "content_type": st.just("application/json"),
        "mappings": st.builds(lambda names: [{"from": f"/{n}", "to": f"/{n}"} for n in names], SLUGS),
    }
)
RESPONSE = st.fixed_dictionaries(
    {
        "mode": st.just("passthrough"),
        "success_statuses": st.lists(st.integers(200, 299), min_size=1, max_size=3, unique=True),
        "content_types": st.permutations(["application/json", "text/plain", "text/csv"]),
    },
    optional={"max_bytes": st.integers(1, 65535)},
)
BINDING = st.fixed_dictionaries(
    {"method": st.sampled_from(["POST", "PUT"]), "path": TEXT, "response": RESPONSE},
    optional={
        "static_headers": st.dictionaries(HEADER, TEXT, max_size=3),
        "parameters": st.lists(PARAMETER, max_size=4, unique_by=lambda p: (p["in"], p["name"].lower())),
        "body": BODY,
    },
)
CATALOG = st.fixed_dictionaries(
    {
        "summary": TEXT,
        "description": TEXT,
        "safety": st.fixed_dictionaries(
            {"class": st.just("mutation"), "idempotent": st.booleans(), "destructive": st.just(False)}
        ),
        "input_schema": SCHEMA,
        "output_schema": SCHEMA,
    },
    optional={"example": st.dictionaries(TEXT, DATA, max_size=3)},
)
AUTH = st.fixed_dictionaries({"profile": SLUG}, optional={"required_scopes": SLUGS})


@st.composite
def packages(draw: st.DrawFn) -> Files:
    names = draw(SLUGS)
    actions = []
    for name in names:
        action = {"name": name, "catalog": draw(CATALOG), "binding": draw(BINDING)}
        if draw(st.booleans()):
            action["auth"] = draw(AUTH)
        actions.append(action)
    profiles = [
        draw(
            st.sampled_from(
                [
                    {"id": name, "type": "oauth2_bearer"},
                    {"id": name, "type": "api_key", "in": "header", "name": "X-Key"},
                ]
            )
        )
        for name in draw(SLUGS)
    ]
    meta = {
        "schema_version": 1,
        "domain": draw(SLUG),
        "version": draw(st.integers(1, 99)),
        "name": draw(TEXT),
        "description": draw(TEXT),
        "endpoint": {"base_url": "https://api.example.com"},
        "auth": {"profiles": profiles},
        "actions": [{"name": name, "file": f"actions/{name}.yaml"} for name in names],
    }
    return meta, actions
