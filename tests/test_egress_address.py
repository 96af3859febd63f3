"""Which addresses may be dialled: the table, what it is made from, and what no table says."""

from __future__ import annotations

import importlib.util
import ipaddress
import json
from typing import TYPE_CHECKING, Any

import pytest
from corpus import ROOT
from hypothesis import given
from hypothesis import strategies as st

from extpkg.egress.address import is_public
from extpkg.resources import denied_blocks

if TYPE_CHECKING:
    from pathlib import Path

TABLE = ROOT / "extpkg" / "data" / "addresses.json"
BLOCKS = [ipaddress.ip_network(block) for block in denied_blocks()]
TRANSLATED = ipaddress.ip_network("64:ff9b::/96")


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_both_ends_of_every_block_are_denied(block: ipaddress.IPv4Network | ipaddress.IPv6Network) -> None:
    """P304, P307."""
    assert not is_public(str(block.network_address))
    assert not is_public(str(block.broadcast_address))


@given(st.ip_addresses(v=4))
def test_ipv4_is_public_outside_the_table_alone(address: ipaddress.IPv4Address) -> None:
    denied = any(address in block for block in BLOCKS)
    assert is_public(str(address)) is not denied
    assert is_public(f"64:ff9b::{address}") is not denied
    for form in ("::", "::ffff:", "::ffff:0:", "64:ff9b:1::", "2003::5efe:", "2003::200:5efe:"):
        assert not is_public(form + str(address))
    assert not is_public(str(ipaddress.IPv6Address((0x2002 << 112) | (int(address) << 80) | 1)))


@given(st.ip_addresses(v=6))
def test_ipv6_is_public_in_global_unicast_alone(address: ipaddress.IPv6Address) -> None:
    public = int(address) >> 125 == 1 and not any(address in block for block in BLOCKS)
    public = public and (int(address) >> 32) & 0xFDFFFFFF != 0x5EFE
    if address not in TRANSLATED:
        assert is_public(str(address)) is public
        assert is_public(address.exploded.upper()) is public


@given(st.integers(0, (1 << 125) - 1))
def test_global_unicast_is_not_denied_at_large(low: int) -> None:
    address = ipaddress.IPv6Address((1 << 125) | low)
    assert is_public(str(address)) or any(address in block for block in BLOCKS) or "5efe" in address.exploded


@pytest.mark.parametrize(
    "text",
    [
        "", "localhost", "api.example.com", "1.2.3", "8", "134744072", "0x8.8.8.8", "8.8.8.010", "8.8.8.8.",
        " 8.8.8.8", "8.8.8.8\n", "8.8.8.8:443", "8.8.8.8/32", "[2a00::1]", "2a00::1%eth0", "2a00::1%",
        "2a00::1%25lo", "2a00::1/64", ":::", "2a00::8.8.8", "8.8.8.8%1", "2a00:::1", "12345::1",
        "\u0668.8.8.8",
    ],
)  # fmt: skip
def test_what_is_no_plain_address_is_denied(text: str) -> None:
    assert not is_public(text)


def tool() -> Any:
    path = ROOT / "tools" / "update_addresses.py"
    spec = importlib.util.spec_from_file_location("update_addresses", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def registry(rows: list[dict[str, str]]) -> str:
    """Write blocks as IANA's CSV does: footnotes, quoted names, several blocks in a cell."""
    columns = "Address Block,Name,RFC,Allocation Date,Termination Date,Source,Destination,Forwardable"
    lines = [columns + ",Globally Reachable,Reserved-by-Protocol"]
    for at, row in enumerate(rows):
        note = " [1]" if at % 2 else ""
        lines.append(f'{row["prefix"]}{note},"""{row["name"]}""","[RFC1], section 2",2000-01,N/A,,,,,')
    return "\n".join(lines) + "\n"


def test_the_table_is_what_the_tool_makes_of_the_registries(tmp_path: Path) -> None:
    table = json.loads(TABLE.read_bytes())
    for key in ("ipv4", "ipv6"):
        (tmp_path / key).write_text(registry(table[key]), encoding="utf-8")
    output = tmp_path / "addresses.json"
    tool().main(
        ["--date", table["date"], "--output", str(output), str(tmp_path / "ipv4"), str(tmp_path / "ipv6")]
    )
    assert output.read_bytes() == TABLE.read_bytes()


def test_the_tool_reads_cells_of_several_blocks() -> None:
    text = 'Address Block,Name\n"192.0.0.170/32, 192.0.0.171/32 [3]","NAT64/DNS64\n Discovery"\n'.replace(
        "\n D", " D"
    )
    assert tool().rows(text, 4) == [
        {"prefix": "192.0.0.170/32", "name": "NAT64/DNS64 Discovery"},
        {"prefix": "192.0.0.171/32", "name": "NAT64/DNS64 Discovery"},
    ]


@pytest.mark.parametrize("cell", ["", "192.0.0.1/24", "somewhere", "::1/128"])
def test_the_tool_refuses_what_is_no_block_of_its_registry(cell: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        tool().rows(f"Address Block,Name\n{cell},x\n", 4)
