"""Every link is registered and fetched in pseudo-random order (Chakrabarti 1999, section 4)."""

from collections.abc import Sequence
from typing import ClassVar

from crawler.core.frontier.base import NoParameters
from crawler.core.frontier.registry import strategy
from crawler.core.types import Expansion, Merge, PriorityChange, ScoredPage

_64_BITS = (1 << 64) - 1
# Fractions of the golden ratio and of the roots of 2 and 3, made odd: bits without a pattern.
_GOLDEN, _ROOT_2, _ROOT_3 = 0x9E3779B97F4A7C15, 0x6A09E667F3BCC909, 0xBB67AE8584CAA73B


def shuffled(number: int) -> int:
    """A one-to-one scramble of 64 bits: multiply by odd constants, fold the high half down."""
    number = (number * _GOLDEN) & _64_BITS
    number ^= number >> 32
    number = (number * _ROOT_2) & _64_BITS
    number ^= number >> 29
    number = (number * _ROOT_3) & _64_BITS
    return number ^ (number >> 32)


@strategy(
    key="unfocused",
    label="Unfocused",
    summary="Follows every link in random order: the yardstick that any focus must beat.",
)
class Unfocused:
    """Priority in [0, 1) from the URL's key and the seed alone, so finding it again is no news."""

    merge: ClassVar[Merge] = Merge.REPLACE
    is_stateless: ClassVar[bool] = True

    def __init__(self, parameters: NoParameters, seed: int) -> None:
        self.parameters, self.seed = parameters, seed

    def start(self, keys: Sequence[int]) -> Sequence[PriorityChange]:
        salt = shuffled(self.seed)
        return tuple(PriorityChange(key, _chance(key, salt)) for key in keys)

    def learn(self, page: ScoredPage) -> Expansion:
        salt = shuffled(self.seed)
        return Expansion(
            tuple([PriorityChange(link.key, _chance(link.key, salt)) for link in page.links])
        )


def _chance(key: int, salt: int) -> float:
    return (shuffled((key + salt) & _64_BITS) >> 11) * 2.0**-53  # as many bits as a float holds
