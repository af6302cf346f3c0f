"""Every way we know to spell an address that must not be dialled."""

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address

_V4 = (
    "0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.254 100.64.0.1 100.100.100.200 127.0.0.1 127.0.0.53 "
    "127.255.255.254 168.63.129.16 169.254.0.1 169.254.169.254 169.254.170.2 172.16.0.1 "
    "172.31.255.254 192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1 192.168.255.254 "
    "198.18.0.1 198.19.255.254 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.250 240.0.0.1 "
    "255.255.255.255"
)
_V6 = (
    ":: ::1 ::2 100::1 fc00::1 fd00:ec2::254 fd12:3456::1 fe80::1 febf::1 fec0::1 ff02::1 ff0e::1 "
    "2001::1 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 3fff::1 5f00::1 4000::1 64:ff9b:1::1 "
    "::ffff:0:0 2001:1::1"
)
FORBIDDEN_V4, FORBIDDEN_V6 = _V4.split(), _V6.split()
_DIGITS = "0123456789"
_FULL_WIDTH = "".join(chr(0xFF10 + digit) for digit in range(10))
_CIRCLED = "⓪①②③④⑤⑥⑦⑧⑨"


def v4_spellings(address: str) -> Iterator[str]:
    """As a URL's host: numbers of every base, parts left out, look-alike digits, escapes."""
    number = int(IPv4Address(address))
    a, b, c, d = address.split(".")
    yield from (address, f"{address}.", str(number), hex(number), hex(number).upper())
    yield from (f"0{number:o}", f"000{number:o}", f"{number}.", f"0x00{number:x}")
    for part in (hex, lambda n: f"0{n:o}", lambda n: f"000{n:o}", lambda n: f"0X{n:X}"):
        parts = [part(int(p)) for p in (a, b, c, d)]
        yield ".".join(parts)
        yield ".".join([parts[0], b, parts[2], d])
        yield ".".join([a, parts[1], c, parts[3]])
    yield f"{a}.{number & 0xFFFFFF}"
    yield f"{a}.{b}.{number & 0xFFFF}"
    yield f"{a}.{hex(number & 0xFFFFFF)}"
    yield address.translate(str.maketrans(_DIGITS, _FULL_WIDTH))
    yield address.translate(str.maketrans(_DIGITS, _CIRCLED))
    yield address.replace(".", "。")
    yield address.replace(".", "\uff0e")
    yield address.replace(".", "%2e")
    yield "".join(f"%{ord(character):02x}" for character in address)
    yield f"\u00ad{address}"
    yield address.replace(".", ".\u200b")
    yield address.replace(".", "\t.\n")


def v6_disguises(address: str) -> Iterator[str]:
    """IPv6 addresses that carry a forbidden IPv4 one."""
    number = int(IPv4Address(address))
    high, low = f"{number >> 16:x}", f"{number & 0xFFFF:x}"
    hidden = number ^ 0xFFFFFFFF
    yield from (f"::ffff:{address}", f"::ffff:{high}:{low}", f"0:0:0:0:0:ffff:{high}:{low}")
    yield from (
        f"::{address}",
        f"::ffff:0:{address}",
        f"64:ff9b::{address}",
        f"64:ff9b::{high}:{low}",
    )
    yield from (f"64:ff9b:1::{address}", f"2002:{high}:{low}::", f"2002:{high}:{low}::1")
    yield f"2002:{high}:{low}:1:2:3:4:5"
    yield f"2001:0:4136:e378:8000:63bf:{hidden >> 16:x}:{hidden & 0xFFFF:x}"
    yield f"2001:0:{high}:{low}::1"
    yield f"fe80::5efe:{address}"
    yield str(IPv6Address(f"::ffff:{address}").exploded)


def hosts() -> Iterator[str]:
    for address in FORBIDDEN_V4:
        yield from v4_spellings(address)
        yield from (f"[{disguise}]" for disguise in v6_disguises(address))
    for address in FORBIDDEN_V6:
        yield f"[{address}]"
        yield f"[{IPv6Address(address).exploded}]"
        yield f"[{address}%25eth0]"


def urls() -> list[str]:
    """More than two thousand URLs of forbidden places, without doubles."""
    found = {f"http://{host}/": None for host in hosts()}
    for number, host in enumerate(hosts()):
        found[
            (
                f"https://{host}/",
                f"http://{host}:80/latest/meta-data/",
                f"HTTP://{host}:443/",
                f"http://user:secret@{host}/",
                f"http:\\\\{host}\\",
                f"http://example.com@{host}/",
                f"http://{host}:6379/",
                f"//{host}:5432/",
                f"  http://{host}/ ",
                f"http:/{host}/",
            )[number % 10]
        ] = None
    return list(found)
