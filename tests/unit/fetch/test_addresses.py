"""Which addresses are public, in whatever they are wrapped and however they are spelled."""

import pytest

from webkeep.fetch import is_loopback, is_private_name, is_public

PRIVATE = {
    "loopback": "127.0.0.1",
    "any": "0.0.0.0",
    "a link's own": "169.254.169.254",
    "a carrier's": "100.64.0.1",
    "for measuring": "198.18.0.1",
    "IPv4 multicast": "224.0.0.1",
    "IPv6 loopback": "::1",
    "IPv6 any": "::",
    "unique local": "fd00::1",
    "link-local": "fe80::1%eth0",
    "site-local": "fec0::1",
    "IPv6 multicast": "ff0e::1",
    "not given out": "4000::1",
    "mapped": "::ffff:127.0.0.1",
    "mapped multicast": "::ffff:224.0.0.1",
    "compatible": "::7f00:1",
    "translated": "::ffff:0:127.0.0.1",
    "6to4": "2002:7f00:1::",
    "NAT64 of loopback": "64:ff9b::7f00:1",
    "NAT64 of a private network": "64:ff9b::a00:1",
    "NAT64 of multicast": "64:ff9b::e000:1",
    "local NAT64": "64:ff9b:1::7f00:1",
    "local NAT64 of a public address": "64:ff9b:1::5db8:d822",
    "Teredo": "2001:0:7f00:1::",
    "for documents": "2001:db8::1",
    "of protocols": "192.0.0.192",
    "nothing": "",
    "no address": "nonsense",
}
PUBLIC = {
    "IPv4": "93.184.216.34",
    "IPv6": "2606:2800:220:1::1",
    "mapped": "::ffff:93.184.216.34",
    "6to4": "2002:5db8:d822::1",
    "NAT64": "64:ff9b::5db8:d822",
}


@pytest.mark.parametrize("address", PRIVATE.values(), ids=PRIVATE)
def test_what_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC.values(), ids=PUBLIC)
def test_what_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST",
        "localhost.",
        "site.localhost",
        "site.localhost.",
        "%6cocalhost",
        "127.0.0.1",
        "127.0.0.1.",
        "localhost.localdomain",
        "printer.local",
        "Metadata.Google.INTERNAL.",
        "box.home.arpa",
        "127.1",
        "0x7f.1",
        "0177.0.0.1",
        "2130706433",
        "0x7f000001",
        "127%2e0.0.1",
        "192.168.257",
        "0",
        "::1",
        "[::1]",
        "::ffff:10.0.0.1",
        "fe80::1%eth0",
    ],
)
def test_hosts_that_are_seen_to_be_private(host: str) -> None:
    assert is_private_name(host)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "example.org",
        "localhost.example.org",
        "mylocal",
        "internal.example.org",
        "192.0.1.1",
        "notlocalhost",
        "93.184.216.34",
        "0x5d.0xb8d822",
        "a b",
        "1.2.3.4.5",
    ],
)
def test_hosts_that_may_be_public(host: str) -> None:
    assert not is_private_name(host)


@pytest.mark.parametrize(
    ("address", "own"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("0.0.0.0", True),
        ("::", True),
        ("10.0.0.1", False),
        ("93.184.216.34", False),
        ("nonsense", False),
    ],
)
def test_which_addresses_are_this_machine(address: str, own: bool) -> None:
    assert is_loopback(address) is own
