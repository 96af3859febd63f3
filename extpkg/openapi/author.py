"""From a source to the files of a Package, and what is said about every operation of it.

source --inventory--> operations --selection--> asked for --operation.take--> actions --judge--> Authored
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from extpkg.definition.files import Provenance, encode_meta
from extpkg.definition.model import Definition
from extpkg.definition.normalize import normalize
from extpkg.definition.projection import digest_of_normal
from extpkg.diagnostic import quoted
from extpkg.openapi.bundle import bundle
from extpkg.openapi.inventory import BINDABLE, operations
from extpkg.openapi.judge import encoded
from extpkg.openapi.naming import action_name, domain_name, domain_refusal
from extpkg.openapi.note import Note, Unusable
from extpkg.openapi.operation import Document, LeftOut, Taken, take
from extpkg.openapi.report import AuthoringReport, Reason, Row
from extpkg.openapi.security import Security, Wishes
from extpkg.openapi.selection import Selectable, select
from extpkg.openapi.server import Endpoint, choose_endpoint
from extpkg.openapi.texts import NAME_CHARACTERS, PACKAGE_CHARACTERS, first_paragraph, fitted, folded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from extpkg.openapi.inventory import Operation
    from extpkg.openapi.naming import Named
    from extpkg.openapi.source import Source

SOURCE_PATH: Final = "source/openapi.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a person decides about a Package; what is None is taken from the source.

    `auth` is the scheme that is preferred, `auth_as` the type that schemes are read as, `require_auth` the
    scheme of operations that require none. `server_variables` fill the placeholders of servers. Operations
    whose id, action or place is `present` need not be in `include`.
    """

    domain: str | None = None
    name: str | None = None
    version: int = 1
    base_url: str | None = None
    server_variables: Mapping[str, str] = field(default_factory=dict)
    auth: str | None = None
    auth_as: Mapping[str, str] = field(default_factory=dict)
    require_auth: str | None = None
    keep_source: bool = True
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    present: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Authored:
    """The files of a Package by path, none where nothing was authored, with its Definition and the report."""

    files: dict[str, bytes]
    definition: Definition | None
    report: AuthoringReport


class SelectorIdle(Exception):
    """Selectors that mean no operation of the document."""

    def __init__(self, selectors: Sequence[str]) -> None:
        self.selectors = tuple(selectors)
        super().__init__(", ".join(map(quoted, selectors)))


def author(
    source: Source,
    options: Options | None = None,
    *,
    on_operation: Callable[[int, int], None] = lambda *_: None,
) -> Authored:
    """Return the Package that a source makes: the same files for the same source, however it was written.

    Every action passes the checks of `extpkg validate`; an operation of which none can be made is left out
    with its reasons, and stops no other. What stops all of it (no server, names that two operations share)
    is in `report.faults`. `on_operation` hears how many operations are done, and of how many. Raises
    `SelectorIdle` for selectors that mean nothing.
    """
    return _Authoring(source, options or Options(), on_operation).run()


class _Authoring:
    """One run, from the inventory to the report."""

    def __init__(self, source: Source, options: Options, heard: Callable[[int, int], None]) -> None:
        self._source = source
        self._options = options
        self._heard = heard
        self._operations = operations(source)
        self._names: list[str | None] = []
        self._rows: list[Row] = []
        self._taken: dict[int, Taken] = {}
        self._files: dict[str, bytes] = {}
        self._faults: list[Reason] = []
        self._notes: list[Note] = list(source.notes)
        self._bundled = bundle(source)

    def run(self) -> Authored:
        self._name()
        asked = self._select()
        domain = self._domain()
        document = self._document()
        if not self._faults and document is not None:
            self._take(document, asked)
            self._refuse_duplicates()
        for index, is_asked in enumerate(asked):
            if not is_asked:
                self._rows[index] = replace(self._rows[index], asked=False, reasons=(), notes=())
        if self._faults or domain is None or document is None or not self._taken:
            return self._nothing(domain, document)
        return self._whole(domain, document)

    def _name(self) -> None:
        for operation in self._operations:
            row = Row(
                place=operation.place,
                operation_id=operation.id,
                pointer=operation.pointer,
                action=None,
                taken=False,
            )
            try:
                named = _named(operation)
                self._names.append(named.name)
                row = replace(row, action=named.name, notes=named.notes)
            except Unusable as unusable:
                self._names.append(None)
                row = replace(row, reasons=(_reason(unusable),))
            self._rows.append(row)

    def _select(self) -> list[bool]:
        candidates = [
            Selectable(id=each.id or "", action=name or "", place=each.place, tags=each.tags)
            for each, name in zip(self._operations, self._names, strict=True)
        ]
        options = self._options
        asked, idle = select(candidates, options.include, options.exclude, options.present)
        if idle:
            raise SelectorIdle(idle)
        return asked

    def _domain(self) -> str | None:
        info = self._source.root.get("info")
        title = info.get("title") if info else None
        said = self._options.domain
        domain = domain_name(str(title.value) if title else "") if said is None else said
        reason = domain_refusal(domain) if domain or said is not None else "the title makes no domain"
        if reason:
            self._fault("domain", f"{reason}; choose one with --domain")
            return None
        return domain

    def _document(self) -> Document | None:
        options = self._options
        wishes = Wishes(prefer=options.auth, read_as=options.auth_as, require=options.require_auth)
        try:
            endpoint = choose_endpoint(self._source, options.base_url, options.server_variables)
            self._notes += endpoint.notes
        except Unusable as unusable:
            self._faults.append(_reason(unusable))
            endpoint = None
        try:
            security = Security(self._source, self._operations, wishes)
        except Unusable as unusable:
            self._faults.append(_reason(unusable))
            return None
        if endpoint is None:
            return None
        return Document(source=self._source, endpoint=endpoint, security=security, weights={})

    def _take(self, document: Document, asked: Sequence[bool]) -> None:
        wanted = [index for index, name in enumerate(self._names) if asked[index] and name is not None]
        for count, index in enumerate(wanted, 1):
            name = self._names[index]
            if name is not None:
                self._take_one(document, index, name)
            self._heard(count, len(wanted))

    def _take_one(self, document: Document, index: int, name: str) -> None:
        operation, row = self._operations[index], self._rows[index]
        try:
            taken = take(document, operation, name)
            data = encoded(taken, document.endpoint.base_url, operation)
        except LeftOut as left:
            self._rows[index] = replace(row, reasons=tuple(map(_reason, left.reasons)))
            return
        auth = taken.action.auth
        self._taken[index] = taken
        self._files[f"actions/{taken.action.name}.yaml"] = data
        self._rows[index] = replace(
            row,
            taken=True,
            safety=taken.action.catalog.safety.classification,
            profile=auth.profile if auth else None,
            notes=(*row.notes, *taken.notes),
        )

    def _refuse_duplicates(self) -> None:
        times = Counter(taken.action.name for taken in self._taken.values())
        for name in sorted(name for name, count in times.items() if count > 1):
            named = [
                f"{self._operations[index].place} ({quoted(self._operations[index].id or '')})"
                for index, taken in self._taken.items()
                if taken.action.name == name
            ]
            self._fault(
                "duplicate-action-name",
                f"{len(named)} operations would be called {name}: {', '.join(named)}; "
                "give all but one an x-agentteam-action, or leave them out with --exclude",
            )
        ids: dict[str, set[str]] = {}
        for taken in self._taken.values():
            if taken.profile is not None:
                ids.setdefault(taken.profile.id, set()).add(repr(taken.profile))
        for name in sorted(name for name, profiles in ids.items() if len(profiles) > 1):
            self._fault("duplicate-profile-id", f"two security schemes would make the profile {quoted(name)}")

    def _fault(self, code: str, message: str) -> None:
        root = self._source.root
        self._faults.append(Reason(code=code, message=message, file=root.file, pointer=""))

    def _whole(self, domain: str, document: Document) -> Authored:
        name, description = self._texts()
        taken = self._taken.values()
        profiles = {each.profile.id: each.profile for each in taken if each.profile is not None}
        definition = Definition(
            domain=domain,
            version=self._options.version,
            name=name,
            description=description,
            base_url=document.endpoint.base_url,
            profiles=tuple(profiles[key] for key in sorted(profiles)),
            actions=tuple(each.action for each in taken),
        )
        self._say_unrequired(document)
        hashed = digest_of_normal(normalize(definition))
        files = {"meta.yaml": encode_meta(definition, hashed, self._provenance(profiles))}
        files |= {path: self._files[path] for path in sorted(self._files)}
        if self._options.keep_source:
            files[SOURCE_PATH] = self._bundled
        report = self._report(domain, document.endpoint, hashed)
        return Authored(files=files, definition=definition, report=report)

    def _provenance(self, profiles: Mapping[str, object]) -> Provenance:
        origin = {
            "type": "openapi",
            "path": SOURCE_PATH,
            "openapi_version": self._openapi(),
            "document_version": self._info("version") or "unknown",
            "sha256": sha256(self._bundled).hexdigest(),
        }
        default = next(iter(profiles)) if len(profiles) == 1 else None
        return Provenance(
            source=origin if self._options.keep_source else None,
            default=default,
        )

    def _texts(self) -> tuple[str, str]:
        title = folded(self._info("title")) or "API"
        name = fitted(folded(self._options.name or "") or title, NAME_CHARACTERS)
        description = fitted(first_paragraph(self._info("description")) or title, PACKAGE_CHARACTERS)
        for field_name, line in (("title", name), ("description", description)):
            if line.cut:
                message = f"the document's {field_name} was too long and was cut"
                self._notes.append(Note(pointer=f"/info/{field_name}", code="text-cut", message=message))
        return name.text, description.text

    def _say_unrequired(self, document: Document) -> None:
        """Say that actions come without a credential although the document has schemes."""
        usable = [each.name for each in document.security.schemes if each.profile is not None]
        bare = [each for each in self._taken.values() if each.profile is None]
        if not usable or not bare:
            return
        message = (
            f"{len(bare)} of {len(self._taken)} actions need no credential as the document says it; "
            f"if they do, add --require-auth {usable[0]}"
        )
        self._notes.append(Note(pointer="", code="auth-not-required", message=message))

    def _nothing(self, domain: str | None, document: Document | None) -> Authored:
        endpoint = document.endpoint if document is not None else None
        self._rows = [replace(row, taken=False) for row in self._rows]
        if not self._faults:
            what = "no operation could be taken" if self._operations else "the document has no operations"
            self._fault("nothing-authored", what)
        return Authored(files={}, definition=None, report=self._report(domain, endpoint, None))

    def _report(self, domain: str | None, endpoint: Endpoint | None, hashed: str | None) -> AuthoringReport:
        return AuthoringReport(
            source=self._source.root.file,
            openapi=self._openapi(),
            document=self._info("version"),
            sha256=sha256(self._bundled).hexdigest(),
            domain=domain,
            base_url=endpoint.base_url if endpoint else None,
            digest=hashed,
            rows=tuple(self._rows),
            faults=tuple(self._faults),
            notes=tuple(dict.fromkeys(self._notes)),
        )

    def _openapi(self) -> str:
        found = self._source.root.get("swagger") or self._source.root.get("openapi")
        return str(found.value) if found is not None else ""

    def _info(self, name: str) -> str:
        info = self._source.root.get("info")
        found = info.get(name) if info is not None else None
        return found.value if found is not None and isinstance(found.value, str) else ""


def _named(operation: Operation) -> Named:
    if operation.fault is not None:
        raise operation.fault
    if operation.method not in BINDABLE:
        method = operation.method
        raise Unusable(f"method-{method.lower()}", f"a {method} gives an Agent no data", operation.node)
    return action_name(operation)


def _reason(unusable: Unusable) -> Reason:
    node = unusable.node
    return Reason(code=unusable.code, message=unusable.message, file=node.file, pointer=node.pointer)
