"""What leaves the house: an honest name, and nothing else about us or our users."""

import pytest

from focusadmin.lib.errors import FocusAdminError
from focusadmin.lib.http import HttpxFetcher, Identity
from focusadmin.lib.outcomes import FetchFailure, FetchResult, Reason
from tests.hostile.fetching import IDENTITY, fetch, with_fetcher
from tests.sites.behaviours import Pages, Redirects, Says
from tests.sites.web import LoopbackWeb


def test_only_these_headers_are_sent(web: LoopbackWeb):
    fetch(web, web.add("headers.test", Pages()))
    [visit] = web.visits_of("headers.test")
    assert set(visit.headers) == {"host", "user-agent", "accept", "accept-encoding"}
    assert visit.headers["accept-encoding"] == "gzip"
    assert visit.headers["user-agent"] == IDENTITY.user_agent
    assert "tests@example.org" in IDENTITY.user_agent


def test_cookies_are_not_kept(web: LoopbackWeb):
    url = web.add("cookies.test", Says(headers=(("Set-Cookie", "id=7; Path=/"),)))

    async def twice(fetcher: HttpxFetcher) -> None:
        await fetcher.fetch(url)
        await fetcher.fetch(url)

    with_fetcher(web, twice)
    assert all("cookie" not in visit.headers for visit in web.visits_of("cookies.test"))


def test_credentials_in_a_url_are_never_sent_or_kept(web: LoopbackWeb):
    web.add("secret.test", Pages())
    web.add("to-secret.test", Redirects(f"http://ann:pass@secret.test:{web.port}/"))
    for url in (f"http://ann:pass@secret.test:{web.port}/", web.url("to-secret.test")):
        outcome = fetch(web, url)
        assert isinstance(outcome, FetchResult)
        assert "pass" not in f"{outcome.url} {outcome.final_url} {outcome.redirects}"
    visits = web.visits_of("secret.test")
    assert len(visits) == 2
    assert all("authorization" not in visit.headers for visit in visits)


@pytest.mark.parametrize(
    "url",
    ["http://ann:pass@[::/", "ftp://ann:pass@h/", "http://ann:pass@127.0.0.1:9/", "//ann:pass@h/"],
)
def test_credentials_are_not_kept_of_a_url_that_fails(web: LoopbackWeb, url: str):
    outcome = fetch(web, url)
    assert isinstance(outcome, FetchFailure)
    assert "pass" not in repr(outcome)


def test_the_environment_has_no_say(web: LoopbackWeb, monkeypatch, tmp_path):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9/")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9/")
    monkeypatch.setenv("HOME", str(tmp_path))
    netrc = tmp_path / ".netrc"
    netrc.write_text("machine environment.test login ann password pass\n")
    monkeypatch.setenv("NETRC", str(netrc))
    outcome = fetch(web, web.add("environment.test", Pages()))
    assert isinstance(outcome, FetchResult)
    assert "authorization" not in web.visits_of("environment.test")[0].headers


def test_the_path_is_sent_as_it_was_spelled(web: LoopbackWeb):
    web.add("spelling.test", Says())
    path = "/a%2fb%41~;p=1/|x?q=%3D%26+%20y&z=a=b&%zz&{}"
    fetch(web, web.url("spelling.test", path))
    assert web.visits_of("spelling.test")[0].target == path


def test_a_notice_is_sent_once_and_follows_no_redirect(web: LoopbackWeb):
    web.add("elsewhere.test", Pages())
    url = web.add("notice.test", Redirects(web.url("elsewhere.test"), 307))

    async def notify(fetcher: HttpxFetcher) -> None:
        outcome = await fetcher.post(url, body=b'{"a": 1}', content_type="application/json")
        assert isinstance(outcome, FetchResult)
        assert outcome.status == 307

    with_fetcher(web, notify)
    [visit] = web.visits_of("notice.test")
    assert (visit.method, visit.body) == ("POST", b'{"a": 1}')
    assert web.visits_of("elsewhere.test") == []


def test_redirects_can_be_declined_and_say_where_they_led(web: LoopbackWeb):
    web.add("target.test", Pages())
    url = web.add("declined.test", Redirects(web.url("target.test")))

    async def never(target: str) -> bool:
        return False

    outcome = with_fetcher(web, lambda fetcher: fetcher.fetch(url, hop_check=never))
    assert isinstance(outcome, FetchFailure)
    assert outcome.reason is Reason.REDIRECT_DECLINED
    assert outcome.final_url == web.url("target.test")
    assert web.visits_of("target.test") == []


def test_redirects_across_hosts_are_followed_and_recorded(web: LoopbackWeb):
    web.add("last.test", Pages(), "127.44.0.2")
    web.add("second.test", Redirects(web.url("last.test")))
    outcome = fetch(web, web.add("first.test", Redirects(web.url("second.test"), 308)))
    assert isinstance(outcome, FetchResult)
    assert outcome.final_url == web.url("last.test")
    assert outcome.redirects == (web.url("second.test"),)
    assert outcome.address == "127.44.0.2"


@pytest.mark.parametrize("contact", ["", "  ", "a\r\nX-Evil: 1", "änn@example.org"])
def test_a_contact_that_is_none_is_refused(contact: str):
    with pytest.raises(FocusAdminError):
        Identity(contact)
