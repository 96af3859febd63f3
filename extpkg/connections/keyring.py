"""The system's keyring, where the optional package `keyring` and a store behind it are present."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from extpkg.connections.fault import unusable

if TYPE_CHECKING:
    from typing import Self

    from extpkg.errors import ExtensionError

SERVICE: Final = "extpkg"


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyring:
    """One entry of a keyring: the master key of the connections in one directory.

    `backend` has `get_password` and `set_password`; `refusals` are the exceptions by which it says that it
    is locked or out of reach.
    """

    account: str
    backend: Any = field(repr=False)
    refusals: tuple[type[Exception], ...] = (OSError,)

    @classmethod
    def of_system(cls, account: str) -> Self | None:
        """Return the entry in the system's keyring, None where no store is installed behind it."""
        try:
            import keyring
            from keyring.backends import fail, null
            from keyring.errors import KeyringError
        except ImportError:
            return None
        backend = keyring.get_keyring()
        if isinstance(backend, fail.Keyring | null.Keyring):
            return None
        return cls(account=account, backend=backend, refusals=(KeyringError, OSError))

    def read(self) -> str | None:
        """Return the text of the entry, None where it is not there; raises `ExtensionError`."""
        try:
            found = self.backend.get_password(SERVICE, self.account)
        except self.refusals:
            pass
        else:
            return found if isinstance(found, str) else None
        raise _unavailable()

    def write(self, text: str) -> None:
        """Put a text into the entry; raises `ExtensionError`."""
        try:
            self.backend.set_password(SERVICE, self.account, text)
        except self.refusals:
            pass
        else:
            return
        raise _unavailable()


def _unavailable() -> ExtensionError:
    message = "the system's keyring, which holds the master key, cannot be reached: unlock it"
    return unusable("keyring_unavailable", message)
