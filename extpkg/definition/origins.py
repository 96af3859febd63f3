"""Where each value of a projection comes from: what `digest --explain` lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from extpkg.definition.build import default_explode
from extpkg.definition.normalize import member_order
from extpkg.definition.projection import CONTRACT
from extpkg.json_schema.keywords import HOLDS, SETS, Holds
from extpkg.limits import RESULT_BYTES
from extpkg.pointer import escape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """One scalar or empty collection of the projection and the place it was read from.

    `source` is a pointer into `file`; it is None where the file does not say the value: a default, or the
    contract (whose `file` is empty).
    """

    pointer: str
    file: str
    source: str | None
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A value of a file, with the way to it."""

    file: str
    pointer: str
    value: Any

    def has(self, key: str) -> bool:
        return type(self.value) is dict and key in self.value

    def at(self, key: str | int) -> _Place:
        return _Place(file=self.file, pointer=f"{self.pointer}/{escape(str(key))}", value=self.value[key])

    def items(self) -> list[_Place]:
        return [self.at(index) for index in range(len(self.value))]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Leaf:
    value: Any
    file: str = ""
    source: str | None = None


def origins(meta: dict[str, Any], actions: Sequence[dict[str, Any]]) -> Iterator[Origin]:
    """Yield the projection of structurally valid values, leaf by leaf, each with its origin.

    An action's file is `actions/<name>.yaml` (R-PKG-4).
    """
    return _flatten("", _package(meta, actions))


def _flatten(pointer: str, node: Any) -> Iterator[Origin]:
    if isinstance(node, _Leaf):
        yield Origin(pointer=pointer, file=node.file, source=node.source, value=node.value)
        return
    members = node.items() if isinstance(node, dict) else enumerate(node)
    for key, member in members:
        yield from _flatten(f"{pointer}/{escape(str(key))}", member)


def _package(meta: dict[str, Any], actions: Sequence[dict[str, Any]]) -> dict[str, Any]:
    root = _Place(file="meta.yaml", pointer="", value=meta)
    files = [_Place(file=f"actions/{a['name']}.yaml", pointer="", value=a) for a in actions]
    endpoint: Any = _Leaf(file="meta.yaml", value=None)
    if meta.get("endpoint"):
        base_url = root.at("endpoint").at("base_url")
        endpoint = {"base_url": _changed(base_url, base_url.value.removesuffix("/"))}
    return {
        "contract": _Leaf(value=CONTRACT),
        **{key: _data(root.at(key)) for key in ("domain", "version", "name", "description")},
        "endpoint": endpoint,
        "auth": {"profiles": _profiles(root)},
        "actions": _listed(files, "name", _action),
    }


def _profiles(root: _Place) -> Any:
    if not root.has("auth") or root.value["auth"] is None:
        return _Leaf(file=root.file, source="/auth" if root.has("auth") else None, value=[])
    auth = root.at("auth")
    if not auth.has("profiles"):
        return _Leaf(file=root.file, value=[])
    return _listed(auth.at("profiles").items(), "id", _profile) or _data(auth.at("profiles"))


def _profile(place: _Place) -> dict[str, Any]:
    keys = [key for key in ("id", "type", "in", "name") if place.has(key)]
    return {key: _header(place, "in") if key == "name" else _data(place.at(key)) for key in keys}


def _listed(places: list[_Place], key: str, trace: Callable[[_Place], Any]) -> list[Any]:
    return [trace(place) for place in sorted(places, key=lambda place: str(place.value[key]))]


def _action(place: _Place) -> dict[str, Any]:
    catalog = place.at("catalog")
    safety = catalog.at("safety")
    return {
        "name": _data(place.at("name")),
        "auth": _auth(place),
        "catalog": {
            "summary": _data(catalog.at("summary")),
            "description": _data(catalog.at("description")),
            "safety": {key: _data(safety.at(key)) for key in ("class", "idempotent", "destructive")},
            "input_schema": _schema(catalog.at("input_schema")),
            "output_schema": _schema(catalog.at("output_schema")),
            "example": _said(catalog, "example", None),
        },
        "binding": _binding(place.at("binding"))
        if place.value.get("binding")
        else _said(place, "binding", None),
    }


def _auth(place: _Place) -> Any:
    if not place.value.get("auth"):
        return _said(place, "auth", None)
    auth = place.at("auth")
    return {"profile": _data(auth.at("profile")), "required_scopes": _sorted(auth, "required_scopes")}


def _binding(place: _Place) -> dict[str, Any]:
    response = place.at("response")
    return {
        "method": _data(place.at("method")),
        "path": _data(place.at("path")),
        "static_headers": _static_headers(place),
        "parameters": _parameters(place),
        "body": _body(place),
        "response": {
            "mode": _data(response.at("mode")),
            "success_statuses": _sorted(response, "success_statuses"),
            "content_types": _sorted(response, "content_types"),
            "max_bytes": _said(response, "max_bytes", RESULT_BYTES),
        },
    }


def _static_headers(place: _Place) -> Any:
    if not place.value.get("static_headers"):
        return _said(place, "static_headers", {})
    headers = place.at("static_headers")
    return {name.lower(): _data(headers.at(name)) for name in sorted(headers.value, key=str.lower)}


def _parameters(place: _Place) -> Any:
    if not place.value.get("parameters"):
        return _said(place, "parameters", [])
    traced = [_parameter(parameter) for parameter in place.at("parameters").items()]
    return sorted(traced, key=lambda parameter: (parameter["in"].value, parameter["name"].value))


def _parameter(place: _Place) -> dict[str, Any]:
    style = _said(place, "style", "simple")
    return {
        "from": _data(place.at("from")),
        "in": _data(place.at("in")),
        "name": _header(place, "in"),
        "style": style,
        "explode": _said(place, "explode", default_explode(style.value)),
    }


def _body(place: _Place) -> Any:
    if not place.value.get("body"):
        return _said(place, "body", None)
    body = place.at("body")
    return {
        "content_type": _data(body.at("content_type")),
        "mappings": [
            {key: _data(mapping.at(key)) for key in ("from", "to")}
            for mapping in sorted(body.at("mappings").items(), key=lambda mapping: str(mapping.value["to"]))
        ],
    }


def _header(place: _Place, location: str) -> _Leaf:
    name = place.at("name")
    return _changed(name, name.value.lower() if place.value[location] == "header" else name.value)


def _sorted(place: _Place, key: str) -> Any:
    if not place.value.get(key):
        return _said(place, key, [])
    return [_data(item) for item in sorted(place.at(key).items(), key=lambda item: item.value)]


def _said(place: _Place, key: str, default: Any) -> Any:
    return _data(place.at(key)) if place.has(key) else _Leaf(file=place.file, value=default)


def _changed(place: _Place, value: Any) -> _Leaf:
    return _Leaf(file=place.file, source=place.pointer, value=value)


def _data(place: _Place) -> Any:
    value = place.value
    if value and type(value) is dict:
        return {key: _data(place.at(key)) for key in value}
    if value and type(value) is list:
        return [_data(item) for item in place.items()]
    return _changed(place, value)


def _schema(place: _Place) -> Any:
    if type(place.value) is not dict or not place.value:
        return _data(place)
    return {keyword: _keyword(keyword, place.at(keyword)) for keyword in place.value}


def _keyword(keyword: str, place: _Place) -> Any:
    """Trace what stands under a keyword; the walk is that of `normalize_schema`."""
    value = place.value
    holds = HOLDS.get(keyword, Holds.DATA)
    if holds is Holds.SINGLE:
        return _schema(place)
    if value and holds is Holds.MAP and type(value) is dict:
        return {name: _schema(place.at(name)) for name in value}
    if value and holds is Holds.LIST and type(value) is list:
        return [_schema(item) for item in place.items()]
    if value and keyword in SETS:
        return _set(keyword, place)
    return _data(place)


def _set(keyword: str, place: _Place) -> Any:
    if type(place.value) is dict:
        return {
            name: _set(keyword, place.at(name)) if place.value[name] else _data(place.at(name))
            for name in place.value
        }
    if type(place.value) is not list:
        return _data(place)
    items = place.items()
    members = [_data(items[index]) for index in member_order(keyword, place.value)]
    return members[0] if keyword == "type" and len(members) == 1 else members
