"""The URLs and hosts of a bundle as compact columns: a crawl may have seen millions."""

from array import array
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from crawler.core.bundle.layout import HOSTS, URLS, BundleError
from crawler.core.bundle.reading import Bundle
from crawler.core.keyindex import KeyIndex
from crawler.core.types import url_key

WAITING = 0


class Hosts:
    """Numbers of site and address by host; what addresses they are is not told."""

    def __init__(self, bundle: Bundle) -> None:
        known: dict[str, int] = {}
        sites, addresses = [], []
        for row in _numbered(bundle.rows(HOSTS), HOSTS):
            sites.append(known.setdefault(row["site"], len(known)))
            addresses.append(row["address"])
        self.sites = np.array(sites, dtype=np.int64)
        self.addresses = np.array(addresses, dtype=np.int64)


class Urls:
    """Everything that the crawl has seen, by number."""

    def __init__(self, bundle: Bundle) -> None:
        self._text, self._ends = bytearray(), array("q", [0])
        keys, priorities, found_on = array("q"), array("d"), array("q")
        states, tries = array("b"), array("i")
        for row in _numbered(bundle.rows(URLS), URLS):
            self._text += row["url"].encode()
            self._ends.append(len(self._text))
            keys.append(url_key(row["url"]))
            priorities.append(row["priority"])
            states.append(row["state"])
            tries.append(row["tries"])
            found_on.append(row["found_on"])
        self.keys = np.array(keys, dtype=np.int64)
        self.priorities = np.array(priorities, dtype=np.float64)
        self.tries = np.array(tries, dtype=np.int64)
        self.found_on = np.array(found_on, dtype=np.int64)
        self.is_waiting: npt.NDArray[np.bool_] = np.array(states, dtype=np.int8) == WAITING
        if len(np.unique(self.keys)) != len(self.keys):
            raise BundleError(f"{URLS} has a URL twice.")
        self.index = KeyIndex()
        self.index.add(self.keys, np.arange(len(self.keys), dtype=np.int32))

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, number: int) -> str:
        return self._text[self._ends[number] : self._ends[number + 1]].decode()


def _numbered(rows: Iterable[Mapping[str, Any]], name: str) -> Iterable[Mapping[str, Any]]:
    """Each at the place that its number says: nothing can make a table larger than the file."""
    for number, row in enumerate(rows):
        if row["number"] != number:
            raise BundleError(f"{name} has number {row['number']} at place {number}.")
        yield row
