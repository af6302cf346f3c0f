import pytest

from focusadmin.lib.addresses import AddressPolicy, literal_address, why_refused
from focusadmin.lib.errors import FocusAdminError


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("127.0.0.1", "loopback"),
        ("::1", "loopback"),
        ("::ffff:127.0.0.1", "loopback"),
        ("2002:7f00:1::", "loopback"),
        ("64:ff9b::7f00:1", "loopback"),
        ("169.254.169.254", "link-local"),
        ("168.63.129.16", "metadata service"),
        ("fd00:ec2::254", "private"),
        ("fe80::1%eth0", "link-local"),
        ("ff02::1", "multicast"),
        ("::7f00:1", "reserved"),
        ("2001:0:4136:e378:8000:63bf:3fff:fdd2", "protocol assignments"),
        ("rubbish", "not an address"),
        ("1.1.1.1", None),
        ("2606:4700::1111", None),
    ],
)
def test_why_an_address_is_refused(address: str, why: str | None):
    assert why_refused(address) == why


POLICY = AddressPolicy(
    frozenset({"wiki.internal:8080", "*.demo.test:9000", "127.20.0.0/16:9000", "[fd00::1]:80"})
)


@pytest.mark.parametrize(
    ("host", "port", "is_allowed"),
    [
        ("wiki.internal", 8080, True),
        ("wiki.internal", 80, False),
        ("evil-wiki.internal", 8080, False),
        ("x.wiki.internal", 8080, False),
        ("a.demo.test", 9000, True),
        ("a.b.demo.test", 9000, True),
        ("demo.test", 9000, False),
        ("xdemo.test", 9000, False),
        ("127.20.3.4", 9000, True),
        ("127.21.3.4", 9000, False),
        ("127.20.3.4", 9001, False),
        ("[fd00::1]", 80, True),
        ("[fd00::2]", 80, False),
    ],
)
def test_the_allow_list_names_hosts_and_ports(host: str, port: int, is_allowed: bool):
    assert POLICY.allows(host, port) is is_allowed
    assert (POLICY.why_refused(host, port, "10.0.0.1") is None) is is_allowed


def test_a_name_never_opens_link_local_places_but_an_address_does():
    assert POLICY.why_refused("wiki.internal", 8080, "169.254.169.254") == "link-local"
    named = AddressPolicy(frozenset({"169.254.169.254:80"}))
    assert named.why_refused("169.254.169.254", 80, "169.254.169.254") is None


def test_only_ports_of_the_web():
    assert POLICY.why_refused("example.com", 6379, "93.184.216.34") == "port 6379"
    wider = AddressPolicy(web_ports=frozenset({80, 443, 8080}))
    assert wider.why_refused("example.com", 8080, "93.184.216.34") is None


@pytest.mark.parametrize(
    "entry", ["wiki", "wiki:", "wiki:0", "wiki:99999", "http://wiki:80/", "a b:80"]
)
def test_an_entry_that_is_no_host_and_port_is_refused(entry: str):
    with pytest.raises(FocusAdminError):
        AddressPolicy(frozenset({entry}))


def test_literals():
    assert str(literal_address("[::1]")) == "::1"
    assert str(literal_address("10.0.0.1")) == "10.0.0.1"
    for name in ("", "example.com", "example.c0m1", "[nonsense]"):
        assert literal_address(name) is None
