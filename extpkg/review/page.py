"""The whole page: its head and policy, what matters at a glance, contents, and the parts in their order."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from extpkg.diff.change import Impact
from extpkg.resources import registered_builtins, review_style
from extpkg.review import changes, findings
from extpkg.review.actions import action_part
from extpkg.review.changes import changes_section, worst
from extpkg.review.findings import findings_section
from extpkg.review.markup import (
    NOTHING,
    Html,
    badge,
    bounded,
    code,
    codes,
    element,
    facts,
    joined,
    link,
    number,
    plain,
    table,
    text,
)
from extpkg.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from extpkg.definition.model import Action, Definition, Profile
    from extpkg.review.subject import Comparison, Subject

SIZE: Final = 24 << 20
"""Characters of the parts about actions: those that come after are named and not shown."""

LISTED: Final = 1_000
"""Actions that are named where nothing else is shown of them, and in the contents."""

_GROUPS: Final = {
    "read": "Actions that read",
    "mutation": "Actions that change something",
    "destructive": "Actions that destroy something",
}


_SLOTS: Final = {"profile": "Profile", "kind": "Kind", "place": "Sent as", "users": "Used by"}


def page(subject: Subject) -> bytes:
    """Return the page as UTF-8: the same bytes for the same subject, whatever the machine.

    It fetches nothing, runs nothing and links to itself alone. Its size is bounded; what is left out is said.
    """
    style = review_style()
    title = f"{subject.definition.name} ({subject.definition.domain} {subject.definition.version}): review"
    head = (
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy(style)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", plain(title)),
        element("style", Html(style)),
    )
    whole = element("html", element("head", *head), element("body", *_body(subject)), lang="en")
    return f"<!DOCTYPE html>\n{whole}\n".encode()


def policy(style: str) -> str:
    """Return the page's policy: nothing is loaded and nothing runs, this one style sheet applies."""
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _body(subject: Subject) -> Iterator[Html]:
    impacts = worst(subject.comparison)
    ordered = [each for group in _GROUPS for each in _of_class(subject.definition, group)]
    parts = bounded(
        (
            action_part(subject.definition, each, subject.examples.get(each.name), impacts.get(each.name))
            for each in ordered
        ),
        SIZE,
    )
    shown = {action.name: part for action, part in zip(ordered, parts, strict=False)}
    sections = list(_sections(subject, shown))
    yield element("a", text("Skip to the content"), href="#content", class_="skip")
    yield _banner(subject)
    contents = element(
        "ul", joined(element("li", link(anchor, text(title)), inner) for anchor, title, inner, _ in sections)
    )
    yield element("nav", element("h2", text("Contents")), contents, aria_label="Contents")
    yield element(
        "main",
        *(
            element("section", element("h2", text(title), id=anchor), part, aria_labelledby=anchor)
            for anchor, title, _, part in sections
        ),
        id="content",
        tabindex="-1",
    )
    made = f"Written by extpkg {__version__}: a view of the package, and no part of what its digest covers."
    yield element("footer", element("p", text(made)))


def _banner(subject: Subject) -> Html:
    definition = subject.definition
    title = element("h1", text(definition.name))
    return element(
        "header",
        element("p", text("Extension package"), class_="kicker"),
        title,
        element("p", text(definition.description), class_="lead"),
        _glance(subject),
        _identity(subject),
        class_="banner",
    )


def _glance(subject: Subject) -> Html:
    """Return what a reviewer wants to know first, each with a link to more."""
    tiles = []
    if subject.comparison is not None:
        found, due = changes.summary(subject.comparison, subject.definition.version)
        counts = changes.counted(subject.comparison)
        state = "bad" if counts[Impact.BREAKING] else "good"
        tiles.append(
            _tile("changes", f"Changes since {subject.comparison.definition.version}", found, due, state)
        )
    report = subject.report
    state = "good"
    if report is not None and report.diagnostics:
        state = "fair" if report.ok else "bad"
    tiles.append(_tile("findings", "Findings", findings.summary(report), "", state))
    classes = [each.catalog.safety.classification for each in subject.definition.actions]
    counted = ", ".join(f"{classes.count(name):,} {name}" for name in _GROUPS if name in classes)
    first = next(name for name in _GROUPS if name in classes)
    tiles.append(_tile(f"actions-{first}", number(len(classes), "action").capitalize(), counted, "", "plain"))
    return element("ul", *tiles, class_="glance")


def _tile(anchor: str, title: str, found: str, more: str, state: str) -> Html:
    parts = (
        element("b", link(anchor, text(title))),
        element("span", text(found), class_="found"),
        element("span", text(more), class_="due") if more else NOTHING,
    )
    return element("li", *parts, class_=f"tile {state}")


def _identity(subject: Subject) -> Html:
    definition = subject.definition
    rows = [
        ("Package", code(subject.root)),
        ("Domain", code(definition.domain)),
        ("Version", code(str(definition.version))),
        ("Digest", code(subject.digest)),
        ("Kind", _kind(definition, subject.digest)),
        (
            "Base URL",
            code(definition.base_url) if definition.base_url else text("none: calls are made in code"),
        ),
    ]
    comparison = subject.comparison
    if comparison is not None:
        old = comparison.definition
        named = f"{old.domain} {old.version}"
        rows.append(
            ("Compared with", joined((code(comparison.root), text(f", {named}, "), code(comparison.digest))))
        )
    return facts(rows)


def _kind(definition: Definition, digest: str) -> Html:
    if definition.base_url is not None:
        return text("External: it is run by its bindings")
    known = registered_builtins().get(definition.domain)
    if known is None or known.definition_digest != digest:
        return text("of a Builtin, but not the registered one")
    return text(f"Builtin, connection: {known.connection_policy}")


def _sections(subject: Subject, shown: Mapping[str, Html]) -> Iterator[tuple[str, str, Html, Html]]:
    """Yield each section: its anchor, its title, what the contents say below it, and the section itself."""
    definition = subject.definition
    comparison = subject.comparison
    if comparison is not None:
        yield "changes", "What changed", _classes(comparison), changes_section(comparison, frozenset(shown))
    found = element("span", text(f" ({findings.summary(subject.report)})"), class_="quiet")
    yield "findings", "Findings", found, findings_section(subject.report)
    yield "credentials", "Credentials", NOTHING, _credentials(definition)
    impacts = worst(comparison)
    for group, title in _GROUPS.items():
        chosen = _of_class(definition, group)
        if chosen:
            parts = [shown[each.name] for each in chosen if each.name in shown]
            rest = _unshown([each for each in chosen if each.name not in shown])
            yield f"actions-{group}", title, _names(chosen, shown, impacts), joined((*parts, rest))


def _of_class(definition: Definition, group: str) -> list[Action]:
    return [each for each in definition.actions if each.catalog.safety.classification == group]


def _classes(comparison: Comparison) -> Html:
    rows = (
        element("li", link(f"changes-{impact.value}", text(f"{impact.value} ({count:,})")))
        for impact, count in changes.counted(comparison).items()
        if count
    )
    return element("ul", *rows)


def _names(chosen: Sequence[Action], shown: Mapping[str, Html], impacts: Mapping[str, Impact]) -> Html:
    rows = []
    for action in chosen[:LISTED]:
        name = text(action.name)
        label = link(f"action-{action.name}", name) if action.name in shown else name
        impact = impacts.get(action.name)
        mark = joined((Html(" "), badge(impact.value, impact.value))) if impact else NOTHING
        rows.append(element("li", label, mark))
    left = len(chosen) - len(rows)
    if left:
        rows.append(element("li", text(f"and {left:,} more"), class_="cut"))
    return element("ul", *rows)


def _unshown(left: Sequence[Action]) -> Html:
    """Name the actions for which the page has no room."""
    if not left:
        return NOTHING
    named = ", ".join(action.name for action in left[:LISTED])
    rest = f" and {len(left) - LISTED:,} more" if len(left) > LISTED else ""
    words = f"The page has no room for {number(len(left), 'more action')}: "
    return element("p", text(words), code(named, LISTED * 130), text(rest), class_="cut")


def _credentials(definition: Definition) -> Html:
    if not definition.profiles:
        return element("p", text("No action asks for a credential of the package."))
    rows = [_profile(definition, profile) for profile in definition.profiles]
    return table(text("Credential slots, and who uses them"), _SLOTS, rows)


def _profile(definition: Definition, profile: Profile) -> Html:
    if profile.type == "oauth2_bearer":
        kind, place = "OAuth 2 bearer token", "header authorization"
    else:
        kind, place = "API key", f"{profile.location} {profile.name}"
    users = [each for each in definition.actions if each.auth and each.auth.profile == profile.id]
    scopes = sorted({scope for each in users if each.auth for scope in each.auth.required_scopes})
    used = codes([each.name for each in users]) if users else text("no action")
    asks = joined((text("; scopes "), codes(scopes))) if scopes else NOTHING
    return element(
        "tr",
        element("th", code(profile.id), scope="row", id=f"profile-{profile.id}"),
        element("td", text(kind)),
        element("td", code(place)),
        element("td", used, asks),
    )
