"""The site that a host belongs to: its registrable domain."""

from functools import cache, lru_cache

from publicsuffixlist import PublicSuffixList

from focusadmin.lib.addresses import literal_address


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()  # the snapshot inside the package: no network, no cache folder


@lru_cache(maxsize=65536)
def site_of(host: str) -> str:
    """`bbc.co.uk` for `news.bbc.co.uk`; each user of a shared name (github.io) is a site.

    An address, a single word and a bare public suffix are their own site.
    """
    host = host.rstrip(".").lower()
    if literal_address(host) is not None:
        return host
    return _suffixes().privatesuffix(host) or host
