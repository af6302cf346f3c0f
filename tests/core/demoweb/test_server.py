"""The demo web as visitors meet it."""

import http.client
import re
import socket

import pytest

from crawler.core.demoweb.catalogue import Fault, LinkKind, Place
from crawler.core.demoweb.plans import RobotsRule, SiteKind
from crawler.core.demoweb.server import RunningDemoWeb, running_demo_web
from crawler.core.demoweb.web import DemoWeb

Reply = tuple[http.client.HTTPResponse, bytes]


def ask(demo: RunningDemoWeb, host: str, path: str = "/", method: str = "GET") -> Reply:
    connection = http.client.HTTPConnection("127.0.0.1", demo.port, timeout=10)
    try:
        connection.request(method, path, headers={"Host": f"{host}:{demo.port}"})
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


def host_with(
    demo: RunningDemoWeb, *, kind: SiteKind | None = None, robots: RobotsRule | None = None
) -> str:
    return next(
        site.host
        for site in demo.web.sites.values()
        if (kind is None or site.kind is kind) and (robots is None or site.robots is robots)
    )


def test_a_page_is_served_as_the_web_renders_it(demo):
    page = next(p for p in demo.web.ordinary_pages("/Health/First_Aid") if p.path != "/")
    response, body = ask(demo, page.host, page.path)
    assert response.status == 200
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert body == demo.web.page_html(page.host, page.path, demo.port)
    assert f".localhost:{demo.port}/".encode() in body


def test_a_head_request_gets_the_same_headers_and_no_body(demo):
    full, body = ask(demo, "velo-club.localhost")
    head, nothing = ask(demo, "velo-club.localhost", method="HEAD")
    assert nothing == b""
    assert head.headers["Content-Length"] == full.headers["Content-Length"] == str(len(body))


def test_other_methods_are_refused(demo):
    response, _ = ask(demo, "velo-club.localhost", method="POST")
    assert response.status == 405
    assert response.headers["Allow"] == "GET, HEAD"


def test_one_connection_serves_many_requests(demo):
    connection = http.client.HTTPConnection("127.0.0.1", demo.port, timeout=10)
    connection.connect()
    line = connection.sock
    for host in list(demo.web.sites)[:4]:
        connection.request("GET", "/style.css", headers={"Host": host})
        assert connection.getresponse().read()
        assert connection.sock is line
    connection.close()


@pytest.mark.parametrize(
    ("host", "path"), [("velo-club.localhost", "/nothing"), ("example.org", "/"), ("", "/")]
)
def test_unknown_places_answer_404(demo, host, path):
    assert ask(demo, host, path)[0].status == 404


@pytest.mark.parametrize("nonsense", [b"hello\r\n\r\n", b"GET / HTTP/1.1\r\nX: " + b"a" * 20_000])
def test_nonsense_is_refused_and_the_line_closed(demo, nonsense):
    with socket.create_connection(("127.0.0.1", demo.port), timeout=10) as line:
        line.sendall(nonsense)
        answer = b""
        while part := line.recv(4096):
            answer += part
    assert re.match(rb"HTTP/1.1 4\d\d ", answer)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_the_bare_port_lists_all_sites(demo, host):
    response, body = ask(demo, host)
    assert response.status == 200
    assert all(f"http://{site}:{demo.port}/".encode() in body for site in demo.web.sites)


def test_sites_differ_in_their_looks(demo):
    styles = {ask(demo, host, "/style.css")[1] for host in list(demo.web.sites)[:8]}
    assert len(styles) == 4


@pytest.mark.parametrize(
    ("rule", "status", "words"),
    [
        (RobotsRule.NONE, 404, b""),
        (RobotsRule.OPEN, 200, b"Disallow:\n"),
        (RobotsRule.PRIVATE, 200, b"Disallow: /private/"),
        (RobotsRule.DELAY, 200, b"Crawl-delay: 1"),
        (RobotsRule.ERROR, 500, b""),
    ],
)
def test_robots_rules(demo, rule, status, words):
    response, body = ask(demo, host_with(demo, robots=rule), "/robots.txt")
    assert response.status == status
    assert words in body


def test_private_pages_are_linked_and_there_for_the_impolite(demo):
    home = demo.web.pages[Place(host_with(demo, robots=RobotsRule.PRIVATE), "/")]
    private = [p for p in home.targets(LinkKind.LISTED) if p.path.startswith("/private/")]
    assert len(private) == 6
    assert ask(demo, *private[0])[0].status == 200


def test_an_old_address_leads_to_the_new_one(demo):
    old, new = next((a, b) for a, b in demo.web.redirects.items() if b in demo.web.pages)
    response, _ = ask(demo, *old)
    assert response.status == 301
    assert response.headers["Location"] == new.url(demo.port)


def test_one_redirect_turns_in_a_circle(demo):
    loop = [place for place, to in demo.web.redirects.items() if to in demo.web.redirects]
    assert len(loop) == 2
    places = [ask(demo, *place)[0].headers["Location"] for place in loop]
    assert places == [loop[1].url(demo.port), loop[0].url(demo.port)]


def broken(demo: RunningDemoWeb, fault: Fault) -> Reply:
    return ask(demo, *next(place for place, each in demo.web.faults.items() if each is fault))


def test_missing_pages_are_missing_or_gone(demo):
    assert broken(demo, Fault.NOT_FOUND)[0].status == 404
    assert broken(demo, Fault.GONE)[0].status == 410


def test_broken_pages_pretend_to_be_html(demo):
    replies = {fault: broken(demo, fault) for fault in Fault}
    bodies = {f: body for f, (response, body) in replies.items() if response.status == 200}
    types = {replies[fault][0].headers["Content-Type"] for fault in bodies}
    assert types == {"text/html; charset=utf-8"}
    assert bodies[Fault.EMPTY] == b""
    assert b"<h1>" in bodies[Fault.TRUNCATED]
    assert b"</html>" not in bodies[Fault.TRUNCATED]
    assert b"\x00" in bodies[Fault.BINARY]
    with pytest.raises(UnicodeDecodeError):
        bodies[Fault.WRONG_ENCODING].decode()


def test_the_flaky_host_fails_every_third_time_at_each_address(demo):
    host = host_with(demo, kind=SiteKind.FLAKY)
    paths = [page.path for page in demo.web.pages.values() if page.host == host][:9]
    firsts = set()
    for path in paths:
        replies = [ask(demo, host, path)[0] for _ in range(6)]
        statuses = [response.status for response in replies]
        assert sorted(statuses[:3]) == [200, 200, 503]
        assert statuses[:3] == statuses[3:]
        assert {r.headers["Retry-After"] for r in replies if r.status == 503} == {"1"}
        firsts.add(statuses[0])
    assert firsts == {200, 503}


def test_the_slow_host_holds_up_only_its_own_visitors(demo):
    slow = http.client.HTTPConnection("127.0.0.1", demo.port, timeout=10)
    slow.request("GET", "/", headers={"Host": host_with(demo, kind=SiteKind.SLOW)})
    quick, _ = ask(demo, "velo-club.localhost", "/about")
    response = slow.getresponse()
    response.read()
    slow.close()
    assert quick.status == response.status == 200
    kinds = [demo.web.sites[visit.place.host].kind for visit in demo.visits[-2:]]
    assert kinds == [SiteKind.TOPICAL, SiteKind.SLOW]


def test_the_trap_leads_ever_further(demo):
    host = host_with(demo, kind=SiteKind.TRAP)
    entrance = Place(host, "/calendar?month=2001-01")
    assert entrance in demo.web.pages[Place(host, "/")].targets(LinkKind.MENU)
    seen, path = set(), entrance.path
    for _ in range(30):
        response, body = ask(demo, host, path)
        assert response.status == 200
        seen.add(path)
        targets = re.findall(r'<li><a href="(/(?:calendar|s/)[^"]+)"', body.decode())
        assert all(demo.web.knows(Place(host, target)) for target in targets)
        path = next(target for target in reversed(targets) if target not in seen)
    assert len(seen) == 30


def test_every_visit_is_told(demo):
    before = len(demo.visits)
    ask(demo, "velo-club.localhost", "/nothing", "HEAD")
    (visit,) = demo.visits[before:]
    assert (visit.method, visit.place, visit.status) == (
        "HEAD",
        Place("velo-club.localhost", "/nothing"),
        404,
    )


def test_it_listens_on_loopback_only_and_stops_with_its_block():
    with running_demo_web(DemoWeb.build(sites=12, pages=120)) as demo:
        assert ask(demo, "velo-club.localhost")[0].status == 200
        with pytest.raises(OSError, match=r"refused|unreachable|timed out|assign"):
            socket.create_connection(("127.0.0.2", demo.port), timeout=2).close()
    with pytest.raises(ConnectionRefusedError):
        ask(demo, "velo-club.localhost")
