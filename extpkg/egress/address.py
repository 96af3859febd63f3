"""Which addresses may be dialled: the project's own table, judged on the address itself (R-RES-3).

The table is `extpkg/data/addresses.json`, made from IANA's special-purpose registries; the interpreter's own
(`ipaddress.is_global`) changes with its version and is not asked.
"""

from __future__ import annotations

from functools import cache
from ipaddress import AddressValueError, IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import Final

from extpkg.resources import denied_blocks

Block = tuple[int, int]
"""A mask and the network's bits under it, as whole numbers."""

_GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
_TRANSLATED: Final = IPv6Network("64:ff9b::/96")
_INNER: Final = tuple(
    ip_network(block)
    for block in (
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "100.64.0.0/10", "fc00::/7",
        "::1/128",
    )
)  # fmt: skip
_NEVER: Final = tuple(
    ip_network(block)
    for block in (
        "169.254.0.0/16", "100.100.100.200", "192.0.0.192", "168.63.129.16", "fe80::/10", "fd00:ec2::254",
        "fd20:ce::254",
    )
)  # fmt: skip
"""Link-local, and where clouds serve a machine's own metadata and credentials."""

_ISATAP: Final = frozenset({0x00005EFE, 0x02005EFE})
"""What stands before the IPv4 address in the lower half of an ISATAP address (RFC 5214, 6.1)."""


def is_public(address: str) -> bool:
    """Say whether `address` may be dialled; text that is no plain IPv4 or IPv6 address may not.

    Denied are every block of IANA's special-purpose registries whatever they say of its reachability,
    multicast, IPv6 outside 2000::/3, addresses with a scope id, and every form that embeds an IPv4 address;
    of those only 64:ff9b::/96 is judged by the address inside.
    """
    try:
        return _judge_ipv6(address) if ":" in address else _judge_ipv4(int(IPv4Address(address)))
    except AddressValueError:
        return False


def is_reachable(address: str) -> bool:
    """Say whether an origin that its owner configured may be dialled at `address` (R-SRCH-8).

    Beside public addresses those are private, loopback and CGNAT ones as such, in no form that embeds them,
    and never where a cloud answers for the machine itself.
    """
    if is_public(address):
        return True
    try:
        parsed = IPv6Address(address) if ":" in address else IPv4Address(address)
    except AddressValueError:
        return False
    within = any(parsed in block for block in _INNER)
    return within and "%" not in address and not any(parsed in block for block in _NEVER)


def _judge_ipv4(value: int) -> bool:
    return not any(value & mask == network for mask, network in _blocks()[0])


def _judge_ipv6(address: str) -> bool:
    if "%" in address:
        return False
    parsed = IPv6Address(address)
    value = int(parsed)
    if parsed in _TRANSLATED:
        return _judge_ipv4(value & 0xFFFFFFFF)
    if parsed not in _GLOBAL_UNICAST or (value >> 32) & 0xFFFFFFFF in _ISATAP:
        return False
    return not any(value & mask == network for mask, network in _blocks()[1])


@cache
def _blocks() -> tuple[tuple[Block, ...], tuple[Block, ...]]:
    """Return the denied blocks of IPv4 and of IPv6."""
    ipv4 = [IPv4Network(prefix) for prefix in denied_blocks() if ":" not in prefix]
    ipv6 = [IPv6Network(prefix) for prefix in denied_blocks() if ":" in prefix]
    return (
        tuple((int(block.netmask), int(block.network_address)) for block in ipv4),
        tuple((int(block.netmask), int(block.network_address)) for block in ipv6),
    )
