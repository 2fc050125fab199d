from pathlib import Path

import pytest

from primefourier import PAPER_BASIS, PrimeBasis
from primefourier.cli.options import check_output, read_basis, read_integer, read_primes


@pytest.mark.parametrize(
    ("word", "number"),
    [("9", 9), ("-17", -17), ("+3", 3), ("1_000", 1000), ("1" * 300, int("1" * 300))],
)
def test_integers_of_any_size_are_read(word: str, number: int) -> None:
    assert read_integer(word) == number


@pytest.mark.parametrize("word", ["", "3.0", "1e3", "0x10", "x", "1__0", "nan", "٣ ٣"])
def test_other_words_are_refused(word: str) -> None:
    with pytest.raises(ValueError, match="an integer such as 9 or -17 is required, got"):
        read_integer(word)


def test_the_basis_defaults_to_the_papers() -> None:
    assert read_basis(None, None) == PAPER_BASIS
    assert read_basis("2, 3", 4) == PrimeBasis((2, 3), 4)


@pytest.mark.parametrize("words", ["", "3,,5", "3,", "3 5", "x"])
def test_wrong_primes_are_told_with_the_option(words: str) -> None:
    with pytest.raises(ValueError, match=f"--primes takes primes with commas .* got '{words}'"):
        read_primes(words)


def test_a_place_to_write_to_is_checked_first(tmp_path: Path) -> None:
    check_output(tmp_path / "x.PNG", (".png", ".svg"))
    with pytest.raises(ValueError, match=r"--out must end in .png, .svg, got"):
        check_output(tmp_path / "x.gif", (".png", ".svg"))
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        check_output(tmp_path / "none" / "x.png", (".png",))
