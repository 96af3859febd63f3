"""The 32 minimal inputs of the corpus behave as its `expected.md` says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from authoring import action, errors_of, file_of, from_file, openapi_folder, reasons, warnings

from extpkg.binding.request import compile_action
from extpkg.errors import ExtensionError
from extpkg.json_schema import compile_schema

if TYPE_CHECKING:
    from pathlib import Path

    from extpkg.exchange import Request
    from extpkg.openapi.author import Authored

FOLDER = openapi_folder() / "cases"

if not FOLDER.is_dir():
    pytest.skip("corpus openapi/cases is not beside this checkout (set EXTPKG_DATA)", allow_module_level=True)


def case(number: int, **options: Any) -> Authored:
    [path] = FOLDER.glob(f"{number:02}-*.yaml")
    return from_file(path, **options)


def bound(authored: Authored, name: str, value: Any) -> Request:
    assert authored.definition is not None
    return compile_action(authored.definition, name).bind(value)


def url(authored: Authored, name: str, value: Any) -> str:
    return bound(authored, name, value).url.removeprefix("https://api.example.com")


def inputs(authored: Authored, name: str) -> dict[str, Any]:
    found: dict[str, Any] = action(authored, name).catalog.input_schema
    return found


def properties(authored: Authored, name: str) -> dict[str, Any]:
    found: dict[str, Any] = inputs(authored, name).get("properties", {})
    return found


def accepts(authored: Authored, name: str, value: Any) -> bool:
    return compile_schema(inputs(authored, name)).accepts(value)


def body(request: Request) -> Any:
    assert request.body is not None
    return json.loads(request.body)


@pytest.mark.parametrize("number", [number for number in range(1, 33) if number not in {13, 14}])
def test_what_is_authored_validates_as_it_stands(number: int, tmp_path: Path) -> None:
    authored = case(number)
    assert authored.report.taken
    assert errors_of(authored, tmp_path / "package") == []
    assert authored.definition is not None
    for each in authored.definition.actions:
        compile_action(authored.definition, each.name).bind(each.catalog.example)


def test_01_a_value_stays_in_its_segment() -> None:
    authored = case(1)
    name = "get-report-summary"
    assert url(authored, name, {"reportId": "a/b"}) == "/v1/reports/a%2Fb/summary"
    hostile = {"reportId": "../../admin?x=1#f"}
    assert url(authored, name, hostile) == "/v1/reports/..%2F..%2Fadmin%3Fx%3D1%23f/summary"
    for value in (".", "..", ""):
        with pytest.raises(ExtensionError) as refused:
            bound(authored, name, {"reportId": value})
        assert refused.value.code == "validation"


def test_02_styles_of_arrays_in_the_query() -> None:
    authored = case(2)
    assert url(authored, "search", {"csv": ["a", "b", "c"]}) == "/search?csv=a,b,c"
    assert url(authored, "search", {"csv": ["a,b", "c"]}) == "/search?csv=a%2Cb,c"
    assert url(authored, "search", {"rep": ["a", "b"]}) == "/search?rep=a&rep=b"
    assert url(authored, "search", {"rep": [], "csv": []}) == "/search"
    assert "pipes" not in properties(authored, "search")
    assert warnings(authored, "GET /search") == ["param-style-pipeDelimited"]


def test_03_an_array_in_the_path() -> None:
    authored = case(3)
    assert url(authored, "select-days", {"days": ["mon", "tue"]}) == "/days/mon,tue"
    with pytest.raises(ExtensionError) as refused:
        bound(authored, "select-days", {"days": []})
    assert refused.value.code == "validation"


def test_04_parameters_of_the_path_item() -> None:
    authored = case(4)
    got = properties(authored, "get-account")
    assert got["accountId"]["pattern"] == "^[0-9]+$"
    assert got["accountId"]["description"] == "a numeric account"
    assert got.keys() == {"accountId", "X-Trace"}
    assert inputs(authored, "get-account")["required"] == ["accountId"]
    deleted = properties(authored, "delete-account")
    assert deleted.keys() == {"accountId", "X-Trace"}
    assert deleted["accountId"]["description"] == "any account"


def test_05_one_name_in_path_query_and_body() -> None:
    authored = case(5)
    assert properties(authored, "replace-item").keys() == {"id", "id_query", "id_body", "name"}
    assert inputs(authored, "replace-item")["required"] == ["id", "id_body"]
    request = bound(authored, "replace-item", {"id": "p", "id_query": 7, "id_body": "b", "name": "n"})
    assert request.url == "https://api.example.com/items/p?id=7"
    assert body(request) == {"id": "b", "name": "n"}


def test_06_a_body_that_is_no_object() -> None:
    authored = case(6)
    assert inputs(authored, "enqueue-batch")["required"] == ["body", "queue"]
    binding = action(authored, "enqueue-batch").binding
    assert binding is not None
    assert binding.body is not None
    assert [(each.source, each.target) for each in binding.body.mappings] == [("/body", "")]
    assert body(bound(authored, "enqueue-batch", {"queue": "q", "body": [{"task": "t"}]})) == [{"task": "t"}]


def test_07_composed_bodies() -> None:
    authored = case(7)
    assert inputs(authored, "create-draft")["required"] == ["budget", "campaign"]
    assert properties(authored, "create-draft").keys() == {"budget", "campaign"}
    assert inputs(authored, "create-payment")["required"] == ["body"]
    assert "oneOf" in properties(authored, "create-payment")["body"]


def test_08_recursive_schemas() -> None:
    authored = case(8)
    assert inputs(authored, "create-tree")["$defs"].keys() == {"Node", "Peer"}
    assert accepts(authored, "create-tree", {"label": "a", "children": [{"label": "b"}]})
    assert not accepts(authored, "create-tree", {"label": "a", "children": [{}]})


def test_09_nullable_in_3_0() -> None:
    authored = case(9)
    schemas = properties(authored, "update-task")
    assert schemas["id"]["type"] == "string"
    assert schemas["view"]["enum"] == ["full", "brief"]
    assert schemas["due"]["type"] == ["string", "null"]
    takes: dict[str, list[Any]] = {
        "due": [None, "x"],
        "level": ["low"],
        "owner": [{"id": "u"}],
        "lead": [{"id": "u"}],
        "note": [None, 1, {"a": []}],
    }
    for field, values in takes.items():
        assert all(accepts(authored, "update-task", {"id": "1", field: value}) for value in values), field
    for field in ("level", "owner", "lead", "view"):
        assert not accepts(authored, "update-task", {"id": "1", field: None}), field
    assert warnings(authored, "PATCH /tasks/{id}").count("nullable-without-effect") == 2
    output = compile_schema(action(authored, "update-task").catalog.output_schema)
    assert output.accepts({"price": None})


def test_10_an_explicit_null() -> None:
    authored = case(10)
    binding = action(authored, "patch-person").binding
    assert binding is not None
    assert binding.body is not None
    assert binding.body.content_type == "application/merge-patch+json"
    assert body(bound(authored, "patch-person", {"id": "1", "nickname": None})) == {"nickname": None}
    assert body(bound(authored, "patch-person", {"id": "1", "age": 3})) == {"age": 3}
    assert body(bound(authored, "patch-person", {"id": "1"})) == {}


def test_11_security() -> None:
    authored = case(11)
    found = {row.action: row for row in authored.report.taken}
    auths = {name: action(authored, str(name)).auth for name in found}
    assert {name: each and (each.profile, each.required_scopes) for name, each in auths.items()} == {
        "inherits-auth": ("oauth", ("read",)),
        "public-ping": None,
        "either-auth": ("oauth", ("admin",)),
        "optional-auth": ("oauth", ("write",)),
    }
    assert reasons(authored) == {"GET /both": ["security-and"], "GET /cookie": ["security-cookie"]}
    assert "auth-optional" in warnings(authored, "GET /optional")
    assert authored.definition is not None
    assert [profile.id for profile in authored.definition.profiles] == ["oauth"]


def test_12_names_of_the_wire() -> None:
    authored = case(12)
    value = {
        "X-Client-ID": "c",
        "filter[name]": "n",
        "$top": 3,
        "sessionInfo": {"userName": "u"},
        "HTMLBody": "h",
        "a/b~c": "s",
    }
    request = bound(authored, "open-session", value)
    assert request.url == "https://api.example.com/sessions?%24top=3&filter%5Bname%5D=n"
    assert body(request) == {"sessionInfo": {"userName": "u"}, "HTMLBody": "h", "a/b~c": "s"}
    binding = action(authored, "open-session").binding
    assert binding is not None
    assert binding.body is not None
    assert "/a~1b~0c" in {each.target for each in binding.body.mappings}


def test_13_names_of_actions() -> None:
    authored = case(13)
    assert authored.files == {}
    [fault] = authored.report.faults
    assert fault.code == "duplicate-action-name"
    assert '"listUsers"' in fault.message
    assert '"list_users"' in fault.message
    names = {row.place: row.action for row in authored.report.rows}
    assert names["GET /v1/core/{contactId}/counts"] == "get-v1-core-contact-id-counts"
    assert "name-from-path" in warnings(authored, "GET /v1/core/{contactId}/counts")
    assert names["GET /e"] == "list-calls"
    stem = "this-operation-identifier-is-deliberately-written-to-be-longer-than-sixty-four-characters"
    assert names["GET /c"] == f"{stem}-alpha"
    assert warnings(authored, "GET /d") == ["long-name"]
    assert len(case(13, exclude=("list_users",)).report.taken) == 4


def test_14_servers() -> None:
    [fault] = case(14).report.faults
    assert fault.code == "server-missing"
    assert "--server-var region=eu --server-var stage=v2" in fault.message
    authored = case(14, server_variables={"region": "eu", "stage": "v2"})
    assert authored.report.base_url == "https://eu.api.example.com/v2"
    assert reasons(authored) == {"POST /upload": ["server-other-origin"]}
    [fault] = case(14, server_variables={"region": "mars", "stage": "v2"}).report.faults
    assert fault.code == "server-variable"


def test_15_the_path_of_the_server() -> None:
    assert url(case(15), "ping", {}) == "/myapp/api/ping"


def test_16_bodies_that_are_forms() -> None:
    authored = case(16)
    assert reasons(authored) == {"POST /charges": ["body-form-urlencoded"]}
    charges = action(authored, "list-charges").binding
    assert charges is not None
    assert charges.body is None
    assert body(bound(authored, "set-avatar", {"url": "u"})) == {"url": "u"}


def test_17_escapes_in_pointers() -> None:
    authored = case(17)
    assert properties(authored, "list-members")["size"]["type"] == "integer"
    output = action(authored, "list-members").catalog.output_schema
    assert output["properties"]["n"]["type"] == "integer"


def test_18_swagger_2_0() -> None:
    authored = case(18)
    assert authored.report.base_url == "https://api.example.com/v1"
    request = bound(authored, "get-pet", {"id": 1, "tags": ["a", "b"], "fields": ["c", "d"]})
    assert request.url == "https://api.example.com/v1/pets/1?fields=c,d&tags=a&tags=b"
    assert "tsv" not in properties(authored, "get-pet")
    assert "maximum" not in properties(authored, "get-pet")["id"]
    assert {"schema-integer-domain", "param-style-tsv"} <= set(warnings(authored, "GET /pets/{id}"))
    assert properties(authored, "post-pet").keys() == {"id", "name"}
    assert properties(authored, "post-pet")["name"]["type"] == ["string", "null"]
    assert reasons(authored) == {"POST /files": ["body-multipart"]}
    assert authored.definition is not None
    [profile] = authored.definition.profiles
    assert (profile.type, profile.location, profile.name) == ("api_key", "query", "api_key")


def test_19_exclusive_bounds() -> None:
    schemas = properties(case(19), "get-n")
    assert {
        key: schemas["a"].get(key) for key in ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")
    } == {
        "minimum": None,
        "exclusiveMinimum": 0,
        "maximum": 10,
        "exclusiveMaximum": None,
    }
    assert schemas["b"] == {"type": "number"}


def test_20_objects_in_the_query() -> None:
    authored = case(20)
    assert properties(authored, "list-items") == {}
    assert sorted(warnings(authored, "GET /items")) == ["param-query-object", "param-style-deepObject"]
    assert reasons(authored) == {"GET /secrets": ["param-style-deepObject"]}


def test_21_headers_and_cookies() -> None:
    authored = case(21)
    assert properties(authored, "with-header").keys() == {"X-Region"}
    binding = action(authored, "with-header").binding
    assert binding is not None
    assert dict(binding.static_headers) == {"accept": "application/vnd.example+json;version=2"}
    assert sorted(warnings(authored, "GET /a")) == ["param-cookie", "param-header-reserved"]
    assert reasons(authored) == {"GET /b": ["param-cookie"]}


def test_22_booleans_and_numbers() -> None:
    value = {"on": True, "flag": False, "flags": [True, False], "ratio": 1e21, "X-Flag": True}
    request = bound(case(22), "get-f", value)
    assert request.url == "https://api.example.com/f/true?flag=false&flags=true,false&ratio=1e%2B21"
    assert ("x-flag", "true") in request.headers
    assert url(case(22), "get-f", {"on": False, "ratio": 1.0}) == "/f/false?ratio=1"


def test_23_placeholders() -> None:
    authored = case(23)
    assert reasons(authored) == {
        "GET /{tenant}/{tenant}/devices": ["path-placeholder-repeated"],
        "GET /repos/{owner}/{name}": ["path-placeholder-undeclared"],
    }
    assert '"name"' in authored.report.left_out[1].reasons[0].message
    assert url(authored, "compare-refs", {"base": "a/b", "head": "c"}) == "/compare/a%2Fb...c.json"


def test_24_dictionaries() -> None:
    authored = case(24)
    request = bound(authored, "set-labels", {"id": "1", "body": {"a": "x", "b": "y"}})
    assert body(request) == {"a": "x", "b": "y"}
    assert body(bound(authored, "patch-config", {"body": {"name": "n", "extra": 3}})) == {
        "name": "n",
        "extra": 3,
    }


def test_25_read_only_and_write_only() -> None:
    authored = case(25)
    schema = inputs(authored, "create-user")
    assert schema["properties"].keys() == {"email", "password", "address"}
    assert schema["properties"]["address"]["properties"].keys() == {"city"}
    assert schema["required"] == ["email", "password"]
    output = action(authored, "create-user").catalog.output_schema
    assert output["properties"].keys() == {"id", "created", "email", "address"}
    assert sorted(output["required"]) == ["created", "email", "id"]
    assert "geo" in output["properties"]["address"]["properties"]


def test_26_media_types() -> None:
    authored = case(26)
    posted = action(authored, "post-vendor").binding
    assert posted is not None
    assert posted.body is not None
    assert posted.body.content_type == "application/vnd.api+json"
    assert posted.response.success_statuses == (201,)
    assert posted.response.content_types == ("application/hal+json",)
    texts = {
        "get-text": ("text/csv",),
        "get-mixed": ("application/json",),
        "get-default": ("application/json",),
    }
    for name, types in texts.items():
        binding = action(authored, name).binding
        assert binding is not None
        assert binding.response.content_types == types
    assert reasons(authored) == {
        "GET /x": ["response-xml"],
        "GET /p": ["response-binary"],
        "GET /s": ["response-streaming"],
        "GET /r": ["response-redirect-only"],
    }
    assert warnings(authored, "GET /d") == ["response-default-assumed"]


def test_27_integers_outside_i_json() -> None:
    authored = case(27)
    schemas = properties(authored, "get-id")
    assert schemas["id"] == {"type": "integer", "minimum": 0}
    assert schemas["seed"] == {"type": "integer"}
    assert warnings(authored, "GET /ids/{id}").count("schema-integer-domain") == 3


def test_28_an_empty_enum() -> None:
    authored = case(28)
    assert accepts(authored, "list-requests", {"status": "open"})
    assert not accepts(authored, "list-requests", {"status": "other"})
    assert warnings(authored, "GET /requests") == ["schema-enum-empty"]


def test_29_one_bad_operation() -> None:
    authored = case(29)
    assert [row.action for row in authored.report.taken] == ["good"]
    [row] = authored.report.left_out
    assert row.reasons[0].code == "unresolvable-ref"
    assert "#/components/parameters/Missing" in row.reasons[0].message


def test_30_scalars_of_yaml() -> None:
    authored = case(30)
    schemas = properties(authored, "list-countries")
    assert schemas["code"]["enum"] == ["de", "no", "se"]
    assert schemas["since"]["default"] == "2024-01-31"
    assert "on" in schemas
    output = action(authored, "list-countries").catalog.output_schema
    assert output["properties"].keys() == {"no", "12"}
    assert file_of(authored, "meta.yaml")["source"]["document_version"] == "1.10"


def test_31_credentials_that_are_parameters() -> None:
    authored = case(31)
    assert properties(authored, "post-message").keys() == {"text"}
    assert warnings(authored, "POST /chat") == ["credential-parameter"]
    assert authored.definition is not None
    [profile] = authored.definition.profiles
    assert (profile.type, profile.location, profile.name) == ("api_key", "header", "X-Api-Key")


def test_32_queries_and_fragments_in_paths() -> None:
    authored = case(32)
    binding = action(authored, "copy-file").binding
    assert binding is not None
    assert (binding.method, binding.path) == ("PUT", "/files/{id}")
    assert warnings(authored, "PUT /files/{id}#copy") == ["path-fragment-stripped"]
    assert reasons(authored) == {"GET /responses?beta=true": ["path-has-query"]}
