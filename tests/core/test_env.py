"""Environment readers refuse what they can't understand."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focusadmin.env import SettingError, env_bool, env_choice, env_int, env_list, env_path, env_str


@pytest.fixture
def setting(monkeypatch):
    return lambda text: monkeypatch.setenv("FOCUSADMIN_X", text)


@pytest.mark.parametrize(
    ("text", "expected"), [("true", True), ("ON", True), ("0", False), ("no", False)]
)
def test_bool_reads_the_usual_words(setting, text, expected):
    setting(text)
    assert env_bool("FOCUSADMIN_X", default=not expected) is expected


@pytest.mark.parametrize("text", ["maybe", "2", "truee"])
def test_bool_refuses_other_words_and_names_the_variable(setting, text):
    setting(text)
    with pytest.raises(SettingError, match=r"FOCUSADMIN_X=.*true or false"):
        env_bool("FOCUSADMIN_X", default=True)


@pytest.mark.parametrize("text", ["", "   "])
def test_blank_means_default(setting, text):
    setting(text)
    assert env_bool("FOCUSADMIN_X", default=True) is True
    assert env_int("FOCUSADMIN_X", default=7, minimum=1, maximum=9) == 7
    assert env_str("FOCUSADMIN_X", default="d") == "d"


@pytest.mark.parametrize("text", ["0", "10", "-1", "1.5", "1_0", "٣", "many"])
def test_int_refuses_odd_and_out_of_range(setting, text):
    setting(text)
    with pytest.raises(SettingError, match="from 1 to 9"):
        env_int("FOCUSADMIN_X", default=5, minimum=1, maximum=9)


@given(st.integers(min_value=0, max_value=10**6))
def test_int_reads_every_whole_number_in_range(number):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FOCUSADMIN_X", str(number))
        assert env_int("FOCUSADMIN_X", default=1, minimum=0, maximum=10**6) == number


def test_choice_lists_what_is_possible(setting):
    setting("other")
    with pytest.raises(SettingError, match="distributed, embedded"):
        env_choice("FOCUSADMIN_X", {"embedded", "distributed"}, default="embedded")


def test_list_drops_blanks(setting):
    setting(" a.example , ,b.example,")
    assert env_list("FOCUSADMIN_X", default=[]) == ["a.example", "b.example"]


def test_path_is_absolute(setting):
    setting("some/folder")
    assert env_path("FOCUSADMIN_X", default=Path("/x")) == Path("some/folder").resolve()
