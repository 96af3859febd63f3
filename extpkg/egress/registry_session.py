"""One exchange after the other with a registry, as who one is: tokens, redirects, and what is never sent on.

The host that was given, the realm that issues its tokens, and where it keeps blobs: nothing else is asked.
A credential goes to the origin that it is for, and to no other, whatever a redirect says.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from extpkg.egress.clock import Budget
from extpkg.egress.converse import Network, Sending
from extpkg.egress.credential import with_credential
from extpkg.egress.failure import EgressFailure, Reason
from extpkg.egress.registry_place import Target, netloc, target
from extpkg.egress.registry_token import basic, issued, read_challenge, token_path
from extpkg.egress.wire import engine_headers, request_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from extpkg.egress.credential import Credential
    from extpkg.egress.registry_place import Repository
    from extpkg.egress.registry_token import Challenge
    from extpkg.egress.wire import Headers, Sink
    from extpkg.exchange import Response
    from extpkg.secret import Secret

    Login = Callable[[], Secret | None]
    """Returns `user:password` for the registry, None for nobody; it is called when the registry asks."""

REDIRECTS: Final = 3
"""How many redirects are followed for one blob."""

_TOKEN_BYTES: Final = 64 << 10
_MOVED: Final = frozenset({301, 302, 303, 307, 308})
_STATUS: Final = {
    401: "the registry does not accept who is asking",
    403: "the registry does not allow it",
    413: "the registry takes nothing that large",
    429: "the registry is asked too often",
    507: "the registry's storage is full",
}


class RegistryFailure(Exception):
    """An exchange with a registry that came to nothing; the text is this toolkit's own, never the registry's.

    `reason` is that of egress where there was no answer. `full` says that there is no room.
    """

    def __init__(self, message: str, *, reason: Reason | None = None, full: bool = False) -> None:
        self.reason = reason
        self.full = full
        super().__init__(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One request to a registry; a body, empty too, goes out with its length.

    `statuses` are those that are an answer; of these only those whose body `budget` reads have one.
    """

    method: str
    target: Target
    statuses: frozenset[int]
    budget: Budget
    headers: Headers = ()
    body: bytes | None = field(default=None, repr=False)
    sink: Sink | None = field(default=None, repr=False)


class RegistrySession:
    """What is said to one repository's registry; it keeps the token that it was given."""

    def __init__(self, repository: Repository, network: Network, login: Login) -> None:
        self.repository = repository
        self._network = network
        self._login = login
        self._credential: Credential | None = None

    async def ask(self, ask: Ask) -> Response:
        """Return the answer to one request, asked again with a credential where the registry wants one.

        Raises `RegistryFailure`, for another origin than the registry's too, and what the login raises.
        """
        if not self._is_own(ask.target):
            raise RegistryFailure("the registry leads to another host where it may not")
        answer = await self._exchange(ask, self._credential)
        if answer.status == HTTPStatus.UNAUTHORIZED:
            self._credential = await self._authorized(answer.values("www-authenticate"), ask.method)
            answer = await self._exchange(ask, self._credential)
        return _expected(answer, ask.statuses)

    async def fetch(self, ask: Ask) -> Response:
        """Return the answer to one request, through at most `REDIRECTS` redirects.

        The credential stays with the registry's own origin. Raises as `ask` does.
        """
        moved = replace(ask, statuses=ask.statuses | _MOVED)
        for _ in range(REDIRECTS + 1):
            answer = await self.ask(moved) if self._is_own(moved.target) else await self._foreign(moved)
            if answer.status not in _MOVED:
                return answer
            moved = replace(moved, target=self.followed(answer, moved.target))
        raise RegistryFailure(f"the registry redirects more than {REDIRECTS} times")

    def followed(self, answer: Response, asked: Target) -> Target:
        """Return where an answer's `location` leads; `RegistryFailure` where that is no place to go."""
        places = answer.values("location")
        found = target(places[0], asked.origin) if len(places) == 1 else None
        if found is None:
            raise RegistryFailure("the registry names a place that is no plain URL")
        return found

    def _is_own(self, where: Target) -> bool:
        return where.origin == self.repository.origin

    async def _foreign(self, ask: Ask) -> Response:
        return _expected(await self._exchange(ask, None), ask.statuses)

    async def _authorized(self, values: tuple[str, ...], method: str) -> Credential | None:
        challenge = read_challenge(values)
        if challenge is None:
            raise RegistryFailure("the registry asks for a credential of a kind that is not known")
        login = self._login()
        mine = None if login is None else basic(login)
        if login is not None and mine is None:
            raise RegistryFailure("the credential for the registry is no user and password")
        if challenge.scheme == "basic":
            if mine is None:
                raise RegistryFailure("the registry asks for a user and password, and none is configured")
            return mine
        return await self._token(challenge, method, mine)

    async def _token(self, challenge: Challenge, method: str, mine: Credential | None) -> Credential:
        actions = "pull" if method == "GET" else "pull,push"
        realm = target(challenge.realm, self.repository.origin)
        if realm is None or challenge.realm.startswith("/"):
            raise RegistryFailure("the registry names a token realm that is no plain URL")
        path = token_path(realm.path, challenge, f"repository:{self.repository.name}:{actions}")
        ask = Ask(
            method="GET",
            target=Target(origin=realm.origin, path=path),
            statuses=frozenset({200}),
            budget=Budget(raw=_TOKEN_BYTES, bodies=frozenset({200})),
            headers=(("accept", "application/json"),),
        )
        answer = _expected(await self._exchange(ask, mine), ask.statuses)
        token = issued(answer.body)
        if token is None:
            raise RegistryFailure("the registry's token realm gives no token")
        return token

    async def _exchange(self, ask: Ask, credential: Credential | None) -> Response:
        """Exchange once; a failure is raised anew, outside every frame that has seen the credential."""
        permitted = self.repository.permitted(ask.target.origin)
        if permitted is None:
            raise RegistryFailure("the registry leads to a place without TLS")
        try:
            return await self._network.exchange(
                Sending(
                    origin=ask.target.origin,
                    permitted=permitted,
                    data=_written(ask, credential),
                    budget=ask.budget,
                    sink=ask.sink,
                )
            )
        except EgressFailure as failure:
            reason: Reason | None = failure.reason
        except ValueError:
            reason = None
        raise _failed(reason)


def _written(ask: Ask, credential: Credential | None) -> bytes:
    headers = ask.headers
    if credential is not None:
        _, headers = with_credential(ask.target.path, headers, credential)
    empty = (("content-length", "0"),) if ask.body == b"" else ()
    engine = engine_headers(netloc(ask.target.origin), ask.body or b"")
    return request_bytes(ask.method, ask.target.path, (*engine, *empty, *headers), ask.body or b"")


def _failed(reason: Reason | None) -> RegistryFailure:
    if reason is None:
        return RegistryFailure("the registry names a place that cannot be asked for")
    if reason is Reason.ADDRESS_DENIED:
        return RegistryFailure(
            "the registry leads to an address that is not public:"
            " oci+private://HOST/REPOSITORY allows that of its host",
            reason=reason,
        )
    return RegistryFailure(f"the registry gave no answer: {reason.value}", reason=reason)


def _expected(answer: Response, statuses: frozenset[int]) -> Response:
    if answer.status in statuses:
        return answer
    message = _STATUS.get(answer.status, f"the registry answers with status {answer.status}")
    raise RegistryFailure(message, full=answer.status == HTTPStatus.INSUFFICIENT_STORAGE)
