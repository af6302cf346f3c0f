"""The five states of an alarm, and how a signal moves it from one to the next."""

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """Where an alarm stands."""

    NO_DATA = "no_data"
    NORMAL = "normal"
    PENDING = "pending"
    FIRING = "firing"
    RECOVERING = "recovering"

    @property
    def label(self) -> str:
        return self.value.replace("_", " ").capitalize()


class Signal(StrEnum):
    """What a rule says at one moment."""

    NO_DATA = "no_data"
    CLEAR = "clear"
    DOUBT = "doubt"  # neither: an alarm that is on its way stays there
    BAD = "bad"


@dataclass(frozen=True)
class Patience:
    """How long a signal must hold, in the unit of its rule: pages or seconds."""

    pending: float
    recovery: float


@dataclass(frozen=True)
class Standing:
    """A state, and since when the signal that could end it has held."""

    state: State = State.NO_DATA
    held_since: float | None = None


def advance(
    standing: Standing, signal: Signal, at: float, patience: Patience, *, is_final: bool = False
) -> Standing:
    """The standing after one more signal.

    no data -> normal -> pending -> firing -> recovering -> normal. A `final` signal is not waited
    with, because nothing will come after it.
    """
    if signal is Signal.NO_DATA:
        return Standing(State.NO_DATA)
    match standing.state:
        case State.NO_DATA | State.NORMAL:
            return _from_normal(signal, at, patience, is_final)
        case State.PENDING:
            return _from_pending(standing, signal, at, patience, is_final)
        case _:
            return _from_firing(standing, signal, at, patience)


def _from_normal(signal: Signal, at: float, patience: Patience, is_final: bool) -> Standing:
    if signal is Signal.BAD:
        is_at_once = is_final or patience.pending == 0
        return Standing(State.FIRING) if is_at_once else Standing(State.PENDING, at)
    return Standing(State.PENDING) if signal is Signal.DOUBT else Standing(State.NORMAL)


def _from_pending(
    standing: Standing, signal: Signal, at: float, patience: Patience, is_final: bool
) -> Standing:
    if signal is Signal.CLEAR:
        return Standing(State.NORMAL)
    if signal is Signal.DOUBT:
        return Standing(State.PENDING)
    since = at if standing.held_since is None else standing.held_since
    if is_final or at - since >= patience.pending:
        return Standing(State.FIRING)
    return Standing(State.PENDING, since)


def _from_firing(standing: Standing, signal: Signal, at: float, patience: Patience) -> Standing:
    if signal is Signal.BAD:
        return Standing(State.FIRING)
    if signal is Signal.DOUBT:
        return Standing(standing.state)
    since = at if standing.held_since is None else standing.held_since
    if at - since >= patience.recovery:
        return Standing(State.NORMAL)
    return Standing(State.RECOVERING, since)
