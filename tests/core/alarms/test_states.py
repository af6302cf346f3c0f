"""How signals move an alarm."""

import pytest

from crawler.core.alarms.states import Patience, Signal, Standing, State, advance

BAD, CLEAR, DOUBT, NONE = Signal.BAD, Signal.CLEAR, Signal.DOUBT, Signal.NO_DATA
PATIENCE = Patience(pending=20, recovery=50)


def walked(signals, patience=PATIENCE, step=10) -> list[State]:
    standing, states = Standing(), []
    for number, signal in enumerate(signals):
        standing = advance(standing, signal, number * step, patience)
        states.append(standing.state)
    return states


def test_the_whole_way_round():
    assert walked([NONE, CLEAR, BAD, BAD, BAD, CLEAR, CLEAR, CLEAR, CLEAR, CLEAR, CLEAR]) == [
        State.NO_DATA,
        State.NORMAL,
        State.PENDING,
        State.PENDING,
        State.FIRING,
        *[State.RECOVERING] * 5,
        State.NORMAL,
    ]


def test_a_signal_that_goes_away_in_time_never_fires():
    assert State.FIRING not in walked([CLEAR, BAD, BAD, CLEAR, BAD, BAD, CLEAR])


def test_doubt_waits_and_starts_the_clock_anew():
    assert walked([BAD, DOUBT, BAD, BAD, BAD])[-2:] == [State.PENDING, State.FIRING]


def test_a_relapse_while_recovering_fires_at_once():
    assert walked([BAD, BAD, BAD, CLEAR, BAD])[-1] is State.FIRING


def test_doubt_while_recovering_lengthens_it():
    states = walked([BAD] * 3 + [CLEAR] * 5 + [DOUBT] + [CLEAR] * 5)
    assert states[-1] is State.RECOVERING


def test_without_patience_it_fires_at_once():
    assert walked([CLEAR, BAD], Patience(0, 0)) == [State.NORMAL, State.FIRING]


def test_a_final_signal_is_not_waited_with():
    assert advance(Standing(State.NORMAL), BAD, 0, PATIENCE, is_final=True).state is State.FIRING


@pytest.mark.parametrize("state", State)
def test_without_data_there_is_no_alarm(state):
    assert advance(Standing(state), NONE, 0, PATIENCE) == Standing(State.NO_DATA)
