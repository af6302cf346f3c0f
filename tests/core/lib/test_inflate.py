import gzip
import zlib
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focusadmin.lib.inflate import BombError, BrokenBodyError, Gunzip, TooMuchError, gunzip


@given(st.binary(max_size=5_000), st.integers(1, 700))
def test_what_was_squeezed_comes_back_in_whatever_pieces(body: bytes, size: int):
    squeezed = gzip.compress(body)
    stream = Gunzip(max_bytes=10_000)
    pieces = (squeezed[i : i + size] for i in range(0, len(squeezed), size))
    assert b"".join(stream.feed(piece) for piece in pieces) == body
    assert stream.is_complete


@given(st.binary(max_size=300))
def test_any_bytes_end_well(body: bytes):
    with suppress(BombError, BrokenBodyError, TooMuchError):
        assert len(gunzip(body, max_bytes=1_000)) <= 1_000


def test_limits():
    zeros = gzip.compress(bytes(5_000_000))
    with pytest.raises(BombError):
        gunzip(zeros, max_bytes=10_000_000)
    text = gzip.compress(b"".join(b"%d " % (n * n) for n in range(30_000)))
    with pytest.raises(TooMuchError):
        gunzip(text, max_bytes=100_000)
    with pytest.raises(BrokenBodyError):
        gunzip(text[:-8], max_bytes=1_000_000)
    with pytest.raises(BrokenBodyError):
        gunzip(zlib.compress(b"not gzip"), max_bytes=1_000)
    with pytest.raises(BombError):
        gunzip(gzip.compress(b"") * 101, max_bytes=1_000)
