"""Which addresses may be dialled.

The answer is ours and not `ipaddress.is_global`, which differs between Python versions and calls
several disguises of the loopback address global. IPv4: everything but the special ranges. IPv6:
only 2000::/3 (all that was ever given out) without its special ranges. An IPv6 address that carries
an IPv4 address is judged by what it carries.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from focusadmin.lib.errors import FocusAdminError

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

WEB_PORTS = frozenset({80, 443})

# IANA's special-purpose registry, with the provider metadata services that lie outside of it.
_REFUSED_V4 = [
    (IPv4Network(network), why)
    for network, why in (
        ("0.0.0.0/8", "this network"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "shared by carriers"),
        ("127.0.0.0/8", "loopback"),
        ("168.63.129.16/32", "metadata service"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "protocol assignments"),
        ("192.0.2.0/24", "documentation"),
        ("192.88.99.0/24", "6to4 relay"),
        ("192.168.0.0/16", "private"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
    )
]
_GIVEN_OUT_V6 = IPv6Network("2000::/3")
_REFUSED_V6 = [
    (IPv6Network(network), why)
    for network, why in (
        ("2001::/23", "protocol assignments"),
        ("2001:db8::/32", "documentation"),
        ("3fff::/20", "documentation"),
    )
]
_NEVER_BY_NAME = frozenset(
    {"link-local", "metadata service", "multicast", "protocol assignments", "reserved"}
)
# Prefix, and how many bits the carried IPv4 address is away from the right end.
_CARRIERS = [
    (IPv6Network("::ffff:0:0/96"), 0),  # mapped
    (IPv6Network("64:ff9b::/96"), 0),  # NAT64
    (IPv6Network("2002::/16"), 80),  # 6to4
]


@lru_cache(maxsize=4096)
def why_refused(address: str) -> str | None:
    """Why nothing may dial `address`, or None when it is an ordinary public one."""
    try:
        return _judge(ip_address(address.partition("%")[0]))
    except ValueError:
        return "not an address"


def _judge(address: Address) -> str | None:
    if isinstance(address, IPv4Address):
        return _first(_REFUSED_V4, address)
    for prefix, shift in _CARRIERS:
        if address in prefix:
            return _judge(IPv4Address(int(address) >> shift & 0xFFFFFFFF))
    if address not in _GIVEN_OUT_V6:
        return _name_of(address)
    return _first(_REFUSED_V6, address)


def _first(ranges: Iterable[tuple[Network, str]], address: Address) -> str | None:
    return next((why for network, why in ranges if address in network), None)


def _name_of(address: IPv6Address) -> str:
    if address.is_loopback:
        return "loopback"
    if address.is_multicast:
        return "multicast"
    if address.is_link_local or address.is_site_local:
        return "link-local"
    return "private" if address in IPv6Network("fc00::/7") else "reserved"


@dataclass(frozen=True)
class AddressPolicy:
    """What the operator allows beyond the public Web, and the ports that count as the Web.

    `allowed` holds `host:port` entries; the host is a name, `*.name` for all names below it, an
    address (IPv6 in brackets) or a network such as `127.20.0.0/16`.
    """

    allowed: frozenset[str] = frozenset()
    web_ports: frozenset[int] = WEB_PORTS
    _names: frozenset[tuple[str, int]] = field(init=False, repr=False)
    _networks: tuple[tuple[Network, int], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        entries = [_read_entry(entry) for entry in sorted(self.allowed)]
        networks = tuple((host, port) for host, port in entries if not isinstance(host, str))
        names = frozenset((host, port) for host, port in entries if isinstance(host, str))
        object.__setattr__(self, "_names", names)
        object.__setattr__(self, "_networks", networks)

    def allows(self, host: str, port: int) -> bool:
        """Whether the operator named this host and port."""
        return (host, port) in self._names or self._allows_below(host, port)

    def _allows_below(self, host: str, port: int) -> bool:
        literal = literal_address(host)
        if literal is None:
            labels = host.split(".")
            below = (".".join(["*", *labels[i:]]) for i in range(1, len(labels)))
            return any((name, port) in self._names for name in below)
        return any(port == p and literal in network for network, p in self._networks)

    def why_refused(self, host: str, port: int, address: str) -> str | None:
        """Why `address`, which `host` stands for, may not be dialled at `port`."""
        if self.allows(host, port):
            return self._why_refused_though_allowed(host, address)
        if port not in self.web_ports:
            return f"port {port}"
        return why_refused(address)

    def _why_refused_though_allowed(self, host: str, address: str) -> str | None:
        """Who may answer for a name can change; only an address itself opens the worst places."""
        why = why_refused(address)
        return why if why in _NEVER_BY_NAME and literal_address(host) is None else None


def literal_address(host: str) -> Address | None:
    """The address that a URL's host is, if it is one and not a name."""
    if not host or not (host[0] == "[" or host[-1].isdigit()):
        return None
    try:
        return ip_address(host.strip("[]"))
    except ValueError:
        return None


_ENTRY = re.compile(r"(?P<host>\[[0-9a-fA-F:.]+\]|[^\s\[\]@]+?):(?P<port>\d{1,5})")


def _read_entry(entry: str) -> tuple[str | Network, int]:
    found = _ENTRY.fullmatch(entry)
    if not found or not 0 < int(found["port"]) < 65536:
        raise FocusAdminError(f"{entry!r} is not host:port, for example wiki.internal:8080")
    host = found["host"].lower()
    try:
        return ip_network(host.strip("[]")), int(found["port"])
    except ValueError:
        return host, int(found["port"])
