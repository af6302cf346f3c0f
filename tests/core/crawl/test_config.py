import json
import pickle
from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.core.budget import Budget
from crawler.core.caps import Caps
from crawler.core.config import ConfigError, CrawlConfig
from crawler.core.frontier.registry import KEYS
from focusadmin.lib.errors import FocusAdminError

whole = st.integers(1, 10**12)
seconds = st.floats(0.001, 1e9)
hosts = st.from_regex(r"[a-z]{1,8}\.(com|org)", fullmatch=True)
exclusions = st.builds(
    "{}{}{}".format, st.sampled_from(["", "*."]), hosts, st.sampled_from(["", "/a", "/é/b", "/"])
)
parameters = st.dictionaries(
    st.text(max_size=8),
    st.booleans() | st.integers(-(10**9), 10**9) | st.floats(allow_nan=False, allow_infinity=False),
)
configs = st.builds(
    CrawlConfig,
    strategy=st.sampled_from(KEYS),
    parameters=parameters,
    seed=st.integers(0, 2**63 - 1),
    budget=st.builds(Budget, st.none() | whole, st.none() | seconds, st.none() | whole),
    concurrency=st.integers(1, 256),
    delay_seconds=st.floats(0, 300),
    caps=st.builds(Caps, whole, whole, whole, whole),
    exclusions=st.lists(exclusions, max_size=5).map(tuple),
    site_caps=st.dictionaries(hosts, st.integers(1, 10**9), max_size=3),
    enough_relevant=st.none() | whole,
)


@given(configs)
def test_a_configuration_survives_json(config: CrawlConfig):
    assert CrawlConfig.from_json(json.loads(json.dumps(config.to_json()))) == config
    assert pickle.loads(pickle.dumps(config)) == config


def test_what_is_left_out_has_its_default():
    assert CrawlConfig.from_json({}) == CrawlConfig()
    assert CrawlConfig().concurrency == 16
    assert CrawlConfig().delay_seconds == 1.0
    assert CrawlConfig().max_depth == 50
    assert CrawlConfig.from_json({"caps": {"max_depth": 3}}).max_depth == 3


@pytest.mark.parametrize(
    ("given_json", "told"),
    [
        ({"speed": 1}, "speed is unknown. Known are: strategy, parameters, seed"),
        ({"respects_robots": False}, "respects_robots is unknown"),
        ({"_stay_away": []}, "_stay_away is unknown"),
        ({"budget": {"max_page": 1}}, "budget.max_page is unknown. Known are: max_pages"),
        ({"budget": 5}, "budget must be an object"),
        (
            {"budget": {"max_pages": "5"}},
            "budget.max_pages must be a whole number or null, not '5'",
        ),
        ({"budget": {"max_pages": 1.5}}, "budget.max_pages must be a whole number or null"),
        ({"budget": {"max_pages": 0}}, "budget.max_pages must be more than 0 or none, not 0"),
        ({"budget": {"max_seconds": True}}, "budget.max_seconds must be a number or null"),
        ({"caps": {"max_depth": None}}, "caps.max_depth must be a whole number, not None"),
        ({"caps": {"max_depth": 0}}, "caps.max_depth must be at least 1, not 0"),
        ({"concurrency": True}, "concurrency must be a whole number, not True"),
        ({"concurrency": 0}, "concurrency must be from 1 to 256, not 0"),
        ({"concurrency": 257}, "concurrency must be from 1 to 256, not 257"),
        ({"delay_seconds": -1}, "delay_seconds must be from 0 to 300.0, not -1"),
        ({"delay_seconds": 301}, "delay_seconds must be from 0 to 300.0, not 301"),
        ({"delay_seconds": float("nan")}, "delay_seconds must be a number, not nan"),
        ({"delay_seconds": 10**400}, "delay_seconds must be a number"),
        ({"seed": -1}, "seed must be from 0 to"),
        ({"strategy": "best"}, "strategy must be one of soft_focus, "),
        ({"strategy": 3}, "strategy must be text, not 3"),
        ({"parameters": [1]}, "parameters must be an object of numbers, texts and true or false"),
        ({"parameters": {"a": [1]}}, "parameters must be an object of numbers"),
        ({"exclusions": "e.com"}, "exclusions must be a list of texts"),
        ({"exclusions": [1]}, "exclusions must be a list of texts"),
        ({"site_caps": {"e.com": 1.5}}, "site_caps must be an object of whole numbers"),
        ({"site_caps": {"e.com": 0}}, "site_caps: e.com must be from 1"),
        ({"enough_relevant": 0}, "enough_relevant must be from 1 to"),
        ([], "A configuration must be an object"),
    ],
)
def test_a_wrong_field_is_named_with_what_is_allowed(given_json, told: str):
    with pytest.raises(ConfigError) as caught:
        CrawlConfig.from_json(given_json)
    assert told in str(caught.value)
    assert isinstance(caught.value, FocusAdminError)


def test_robots_are_always_respected():
    assert CrawlConfig().respects_robots is True
    assert "respects_robots" not in CrawlConfig().to_json()
    with pytest.raises(TypeError):
        CrawlConfig(respects_robots=False)  # type: ignore[call-arg]


def test_a_configuration_does_not_change():
    given_parameters = {"beta": 0.25}
    config = CrawlConfig(parameters=given_parameters)
    given_parameters["beta"] = 9.0
    assert config.parameters == {"beta": 0.25}
    with pytest.raises(FrozenInstanceError):
        config.seed = 3  # type: ignore[misc]


def test_a_changed_copy_has_its_own_stay_away_list():
    changed = replace(CrawlConfig(exclusions=("a.com",)), exclusions=("b.com",))
    assert changed.is_excluded("http://a.com/") is None
    assert changed.is_excluded("http://b.com/") == "b.com"


STAY_AWAY = CrawlConfig(
    exclusions=("Example.com", "*.foo.org", "bar.net/Private", "*.bar.net/x/", "münchen.de/é")
)


@pytest.mark.parametrize(
    ("url", "entry"),
    [
        ("http://example.com/", "example.com"),
        ("https://EXAMPLE.com:8443/deep?x=1", "example.com"),
        ("http://example.com./", "example.com"),
        ("http://user:word@example.com/", "example.com"),
        ("http://www.example.com/", None),
        ("http://notexample.com/", None),
        ("http://example.com.evil.net/", None),
        ("http://example.co/", None),
        ("http://evil.net/example.com", None),
        ("http://example.com@evil.net/", None),
        ("http://a.foo.org/", "*.foo.org"),
        ("http://a.b.foo.org/", "*.foo.org"),
        ("http://foo.org/", None),
        ("http://barfoo.org/", None),
        ("http://bar.net/Private", "bar.net/Private"),
        ("http://bar.net/Private-old/x", "bar.net/Private"),
        ("http://bar.net/a/../%50rivate", "bar.net/Private"),
        ("http://bar.net/private", None),
        ("http://bar.net/?x=/Private", None),
        ("http://bar.net/x/", None),
        ("http://w.bar.net/x/y", "*.bar.net/x/"),
        ("http://w.bar.net/xy", None),
        ("http://w.bar.net/Private", None),
        ("http://xn--mnchen-3ya.de/%C3%A9", "xn--mnchen-3ya.de/%C3%A9"),
        ("mailto:ann@example.com", None),
        ("", None),
    ],
)
def test_the_stay_away_list_knows_where_a_host_ends(url: str, entry: str | None):
    assert STAY_AWAY.is_excluded(url) == entry


def test_nothing_is_excluded_by_an_empty_list():
    assert CrawlConfig().is_excluded("http://example.com/") is None


def test_entries_are_kept_once_and_in_one_spelling():
    config = CrawlConfig(exclusions=("E.com/", "e.com", "b.org/%7Eann", "[::1]", "e.com:80"))
    assert config.exclusions == ("e.com", "b.org/~ann", "[::1]")


@pytest.mark.parametrize(
    "entry",
    [
        *("", "*", "*.", "*.*.com", "a*.com", "http://e.com", "e.com?x", "e.com#x", "a b", "/x"),
        *("e.com:8080", "me@e.com", "e.com\\x"),
    ],
)
def test_an_entry_that_is_no_host_is_refused_with_examples(entry: str):
    with pytest.raises(ConfigError, match=r"exclusions: .* is not a host such as example\.com"):
        CrawlConfig(exclusions=(entry,))


def test_a_crawl_may_stop_when_it_has_enough():
    config = CrawlConfig(enough_relevant=1000)
    assert config.why_enough(999) is None
    assert config.why_enough(1000) == "enough: 1,000 relevant pages found"
    assert CrawlConfig().why_enough(10**9) is None
