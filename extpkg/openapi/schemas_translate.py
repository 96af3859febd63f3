"""One schema of a source, with what stands inside of it, as JSON Schema 2020-12; references stay open.

Every version is read by the same rules, and each keyword counts wherever its author wrote it. What the
versions part over is `nullable` and what stands beside a `$ref`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from extpkg.check.characters import is_fit
from extpkg.diagnostic import quoted
from extpkg.openapi import schemas_values as values
from extpkg.openapi.node import Node
from extpkg.openapi.note import Note, Unusable
from extpkg.pointer import escape

if TYPE_CHECKING:
    from extpkg.openapi.source import Source

Direction = Literal["input", "output"]

_ANNOTATIONS: Final = frozenset({"title", "description", "deprecated", "default", "format"})
_IN_PLACE_LISTS: Final = ("allOf", "anyOf", "oneOf")
_IN_PLACE: Final = ("not", "if", "then", "else")
_BELOW: Final = ("contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties", "contentSchema")
_NULL: Final = {"type": "null"}
_CHAIN: Final = 64


class Slot:
    """A reference in a translated schema: the object to fill, where it leads, whether it consumes nothing."""

    __slots__ = ("fill", "in_place", "target")

    def __init__(self, fill: dict[str, Any], target: str, *, in_place: bool) -> None:
        self.fill = fill
        self.target = target
        self.in_place = in_place


class Translation:
    """What became of the schema at one place: its value, its open references, notes, or why there is none."""

    __slots__ = (
        "_anchors",
        "_direction",
        "_hidden",
        "_node",
        "_source",
        "failure",
        "notes",
        "slots",
        "value",
    )

    def __init__(self, source: Source, node: Node, direction: Direction) -> None:
        self._source = source
        self._node = node
        self._direction = direction
        self._hidden = "readOnly" if direction == "input" else "writeOnly"
        self._anchors: list[tuple[str, str]] = []
        self.slots: list[Slot] = []
        self.notes: list[Note] = []
        self.failure: Unusable | None = None
        self.value: Any = True
        try:
            self.value = self._schema(node.value, node.pointer, frozenset(), in_place=True)
        except Unusable as unusable:
            self.failure = unusable

    def _schema(self, schema: Any, at: str, hidden: frozenset[str], *, in_place: bool) -> Any:
        """Translate a schema; `hidden` are names that it may not require, as others hide them."""
        if type(schema) is bool:
            return schema
        if type(schema) is not dict:
            self._say(at, "schema-malformed", f"{quoted(schema)} is no schema; anything is taken instead")
            return {}
        if type(schema.get("$ref")) is str:
            return self._reference(schema, at, hidden, in_place=in_place)
        if "$dynamicRef" in schema or "$recursiveRef" in schema:
            return self._dynamic(schema, at, in_place=in_place)
        if "$dynamicAnchor" not in schema and "$recursiveAnchor" not in schema:
            return self._object(schema, at, hidden, in_place=in_place)
        self._anchors.append((f"#{schema.get('$dynamicAnchor', '')}", at))
        translated = self._object(schema, at, hidden, in_place=in_place)
        self._anchors.pop()
        return translated

    def _dynamic(self, schema: dict[str, Any], at: str, *, in_place: bool) -> Any:
        """Translate a dynamic reference: it means the innermost schema around it that has its anchor."""
        reference = schema.get("$dynamicRef", schema.get("$recursiveRef"))
        anchors = [pointer for anchor, pointer in self._anchors if anchor == reference]
        if not anchors:
            message = f"the dynamic reference {quoted(reference)} means no schema around it"
            raise Unusable("schema-dynamic-ref", message, self._at(at))
        fill: dict[str, Any] = {}
        self.slots.append(Slot(fill, anchors[-1], in_place=in_place))
        return fill

    def _object(self, schema: dict[str, Any], at: str, hidden: frozenset[str], *, in_place: bool) -> Any:
        out: dict[str, Any] = {}

        def say(keyword: str, code: str, message: str) -> None:
            self._say(f"{at}/{keyword}", code, message)

        values.texts(schema, out)
        values.types(schema, out, say)
        values.bounds(schema, out, say)
        values.sizes(schema, out, say)
        if "pattern" in schema:
            values.pattern(schema, out, say)
        null = self._nullable(schema, out, at)
        try:
            values.choices(schema, out, say)
        except values.OutOfDomainError as refused:
            raise Unusable(refused.code, refused.message, self._at(at)) from None
        values.default(schema, out, say)
        if schema.get("uniqueItems") is True:
            out["uniqueItems"] = True
        if "allOf" in schema or "properties" in schema:
            hidden |= self._hidden_in(schema, _CHAIN)
        self._members(schema, out, at, hidden)
        self._items(schema, out, at)
        self._branches(schema, out, at, hidden, in_place=in_place)
        return _with_null(out) if null else out

    def _nullable(self, schema: dict[str, Any], out: dict[str, Any], at: str) -> bool:
        """Make null a type where that is all there is to it; return whether it must be added to the whole."""
        keyword = "x-nullable" if self._source.version == "2.0" else "nullable"
        if schema.get(keyword) is not True:
            return False
        lenient = self._direction == "output"
        if "type" in out and (lenient or self._source.version != "3.1"):
            said = [out["type"]] if type(out["type"]) is str else out["type"]
            out["type"] = said if "null" in said else [*said, "null"]
            return lenient
        if lenient:
            return True
        if not {"type", "enum", "const", *_IN_PLACE_LISTS, "$ref"}.isdisjoint(schema):
            self._without_effect(f"{at}/{keyword}")
        return False

    def _without_effect(self, at: str) -> None:
        self._say(at, "nullable-without-effect", "nullable has no effect here, and null is not taken")

    def _reference(self, schema: dict[str, Any], at: str, hidden: frozenset[str], *, in_place: bool) -> Any:
        target = self._source.resolve(schema["$ref"], self._at(at))
        if type(target.value) not in {dict, bool}:
            message = (
                f"the reference {quoted(schema['$ref'])} leads to {quoted(target.value)}, which is no schema"
            )
            raise Unusable("unresolvable-ref", message, self._at(at))
        if hidden and not hidden.isdisjoint(self._required_in(target.value, _CHAIN)):
            return self._schema(target.value, target.pointer, hidden, in_place=in_place)
        fill: dict[str, Any] = {}
        self.slots.append(Slot(fill, target.pointer, in_place=in_place))
        if self._source.version == "3.1":
            return self._beside(schema, fill, at, hidden, in_place=in_place)
        keyword = "x-nullable" if self._source.version == "2.0" else "nullable"
        if schema.get(keyword) is True:
            if self._direction == "output":
                return {"anyOf": [fill, _NULL]}
            self._without_effect(f"{at}/{keyword}")
        return fill

    def _beside(
        self, schema: dict[str, Any], fill: dict[str, Any], at: str, hidden: frozenset[str], *, in_place: bool
    ) -> Any:
        """Join a reference with the keywords beside it, which count from 3.1 on."""
        siblings = {keyword: value for keyword, value in schema.items() if keyword != "$ref"}
        if not siblings:
            return fill
        beside = self._object(siblings, at, hidden, in_place=in_place)
        if beside.keys() <= _ANNOTATIONS:
            fill.update(beside)
            return fill
        return {**beside, "allOf": [fill, *beside.get("allOf", ())]}

    def _members(self, schema: dict[str, Any], out: dict[str, Any], at: str, hidden: frozenset[str]) -> None:
        """Translate what a schema says about the members of an object."""
        properties = schema.get("properties")
        dropped: set[str] = set()
        if type(properties) is dict:
            dropped = {name for name, member in properties.items() if self._is_hidden(member, _CHAIN)}
            kept = self._map(properties, f"{at}/properties", dropped)
            if kept or properties:
                out["properties"] = kept
        self._patterns(schema, out, at)
        extra = schema.get("additionalProperties")
        if type(extra) in {bool, dict} and "additionalProperties" not in out:
            out["additionalProperties"] = self._schema(
                extra, f"{at}/additionalProperties", frozenset(), in_place=False
            )
        self._required(schema, out, at, hidden | dropped)
        self._dependents(schema, out, at, hidden)
        for keyword in _BELOW:
            if type(schema.get(keyword)) in {bool, dict}:
                out[keyword] = self._schema(schema[keyword], f"{at}/{keyword}", frozenset(), in_place=False)

    def _map(self, members: dict[str, Any], at: str, dropped: set[str]) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        for name, member in members.items():
            if name in dropped:
                continue
            if not is_fit(name):
                raise Unusable("schema-unfit-text", f"the name {quoted(name)} hides characters", self._at(at))
            kept[name] = self._schema(member, f"{at}/{escape(name)}", frozenset(), in_place=False)
        return kept

    def _patterns(self, schema: dict[str, Any], out: dict[str, Any], at: str) -> None:
        patterns = schema.get("patternProperties")
        if type(patterns) is not dict:
            return
        refused = {source for source in patterns if not values.is_allowed(source)}
        kept = self._map(patterns, f"{at}/patternProperties", refused)
        if kept:
            out["patternProperties"] = kept
        for source in sorted(refused):
            message = f"the pattern {quoted(source)} is beyond what is matched; any member is taken instead"
            self._say(f"{at}/patternProperties", "schema-pattern-dropped", message)
            out["additionalProperties"] = True

    def _required(self, schema: dict[str, Any], out: dict[str, Any], at: str, hidden: frozenset[str]) -> None:
        names = schema.get("required")
        if type(names) is not list:
            return
        kept = [name for name in dict.fromkeys(filter(_is_text, names)) if name not in hidden]
        if out.get("additionalProperties") is False and "patternProperties" not in out:
            declared = out.get("properties", {})
            for name in kept:
                if name not in declared:
                    message = f"{quoted(name)} is required but not allowed; it is not required"
                    self._say(f"{at}/required", "schema-required-undeclared", message)
            kept = [name for name in kept if name in declared]
        if kept:
            out["required"] = kept

    def _dependents(
        self, schema: dict[str, Any], out: dict[str, Any], at: str, hidden: frozenset[str]
    ) -> None:
        required: dict[str, list[str]] = {}
        schemas: dict[str, Any] = {}
        for keyword in ("dependencies", "dependentRequired", "dependentSchemas"):
            members = schema.get(keyword)
            for name, member in members.items() if type(members) is dict else ():
                if type(member) is list:
                    required[name] = [
                        text for text in dict.fromkeys(filter(_is_text, member)) if text not in hidden
                    ]
                elif type(member) in {bool, dict}:
                    where = f"{at}/{keyword}/{escape(name)}"
                    schemas[name] = self._schema(member, where, hidden, in_place=True)
        if required:
            out["dependentRequired"] = required
        if schemas:
            out["dependentSchemas"] = schemas

    def _items(self, schema: dict[str, Any], out: dict[str, Any], at: str) -> None:
        items, prefix = schema.get("items"), schema.get("prefixItems")
        if type(items) is list:
            prefix, items, at_prefix, rest = items, schema.get("additionalItems"), "items", "additionalItems"
        else:
            at_prefix, rest = "prefixItems", "items"
        if type(prefix) is list and prefix:
            out["prefixItems"] = [
                self._schema(item, f"{at}/{at_prefix}/{index}", frozenset(), in_place=False)
                for index, item in enumerate(prefix)
            ]
        if type(items) in {bool, dict}:
            out["items"] = self._schema(items, f"{at}/{rest}", frozenset(), in_place=False)

    def _branches(
        self, schema: dict[str, Any], out: dict[str, Any], at: str, hidden: frozenset[str], *, in_place: bool
    ) -> None:
        for keyword in _IN_PLACE_LISTS:
            branches = schema.get(keyword)
            if type(branches) is list and branches:
                out[keyword] = [
                    self._schema(branch, f"{at}/{keyword}/{index}", hidden, in_place=in_place)
                    for index, branch in enumerate(branches)
                ]
        for keyword in _IN_PLACE:
            if type(schema.get(keyword)) in {bool, dict}:
                out[keyword] = self._schema(schema[keyword], f"{at}/{keyword}", hidden, in_place=in_place)

    def _is_hidden(self, schema: Any, left: int) -> bool:
        """Whether a property takes no part in this direction, by itself or by what it refers to."""
        if type(schema) is not dict or not left:
            return False
        if schema.get(self._hidden) is True and (self._source.version == "3.1" or "$ref" not in schema):
            return True
        if type(schema.get("$ref")) is str:
            return self._is_hidden(self._target(schema["$ref"]), left - 1)
        branches = schema.get("allOf")
        return type(branches) is list and any(self._is_hidden(branch, left - 1) for branch in branches)

    def _hidden_in(self, schema: Any, left: int) -> frozenset[str]:
        """Return the properties that a schema and all that it joins with `allOf` declare, but hide."""
        if type(schema) is not dict or not left:
            return frozenset()
        if type(schema.get("$ref")) is str:
            return self._hidden_in(self._target(schema["$ref"]), left - 1)
        found: set[str] = set()
        properties, branches = schema.get("properties"), schema.get("allOf")
        if type(properties) is dict:
            found = {name for name, member in properties.items() if self._is_hidden(member, _CHAIN)}
        for branch in branches if type(branches) is list else ():
            found |= self._hidden_in(branch, left - 1)
        return frozenset(found)

    def _required_in(self, schema: Any, left: int) -> frozenset[str]:
        if type(schema) is not dict or not left:
            return frozenset()
        if type(schema.get("$ref")) is str:
            return self._required_in(self._target(schema["$ref"]), left - 1)
        names, branches = schema.get("required"), schema.get("allOf")
        found = set(filter(_is_text, names)) if type(names) is list else set()
        for branch in branches if type(branches) is list else ():
            found |= self._required_in(branch, left - 1)
        return frozenset(found)

    def _target(self, reference: str) -> Any:
        try:
            return self._source.resolve(reference, self._node).value
        except Unusable:
            return None

    def _at(self, pointer: str) -> Node:
        return Node(None, self._node.file, pointer)

    def _say(self, at: str, code: str, message: str) -> None:
        self.notes.append(Note(pointer=at, code=code, message=message))


def _is_text(value: Any) -> bool:
    return type(value) is str


def _with_null(out: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that takes null too, whatever it says."""
    if "const" in out and out["const"] is not None:
        out["enum"] = [out.pop("const")]
    if "enum" in out and None not in out["enum"]:
        out["enum"] = [*out["enum"], None]
    if not {"allOf", "anyOf", "oneOf", "not", "if"}.isdisjoint(out):
        return {"anyOf": [out, _NULL]}
    return out
