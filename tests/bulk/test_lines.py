from io import BytesIO

import pytest

from primefourier.bulk import lines
from primefourier.bulk.lines import read_lines


def test_lines_end_at_line_feeds_only() -> None:
    content = "a\rb\x0bc\u2028\x85\r\n\nend".encode()
    assert list(read_lines(BytesIO(content))) == ["a\rb\x0bc\u2028\x85\r\n".encode(), b"\n", b"end"]
    assert list(read_lines(BytesIO(b""))) == []


def test_a_byte_order_mark_is_left_out_at_the_beginning_only() -> None:
    content = b"\xef\xbb\xbfa\n\xef\xbb\xbfb"
    assert list(read_lines(BytesIO(content))) == [b"a\n", b"\xef\xbb\xbfb"]


def test_lines_that_are_too_long_come_cut_and_the_next_is_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lines, "LONGEST", 10)
    content = b"x" * 3_000_000 + b"\n" + b"y" * 10 + b"\n" + b"0123456789\nz"
    cut, first, second, last = read_lines(BytesIO(content))
    assert len(cut) == 11
    assert (len(first), last) == (11, b"z")
    assert second == b"0123456789\n"
