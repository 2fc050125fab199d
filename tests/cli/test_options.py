"""Words of the command line become values, or clear errors."""

from collections.abc import Callable
from pathlib import Path

import pytest

from primefourier import PAPER_BASIS, PrimeBasis
from primefourier.cli.options import check_output, read_basis, read_integer, read_integers

Pfe = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize(
    ("word", "number"),
    [("9", 9), ("-17", -17), ("+3", 3), ("1" * 300, int("1" * 300))],
)
def test_integers_of_any_size_are_read(word: str, number: int) -> None:
    assert read_integer(word) == number


@pytest.mark.parametrize("word", ["", "3.0", "1e3", "0x10", "x", "1_000", "nan", "٣ ٣"])
def test_other_words_are_refused(word: str) -> None:
    with pytest.raises(ValueError, match="an integer such as 9 or -17 is required, got"):
        read_integer(word)


def test_integers_longer_than_any_code_are_refused(pfe: Pfe) -> None:
    with pytest.raises(ValueError, match="at most 300000 digits is required, got 300001"):
        read_integer("9" * 300_001)
    code, _, err = pfe("encode", "9" * 2_000_000)
    assert (code, err.count("9") < 100) == (2, True)
    assert "an integer of at most 300000 digits is required, got 2000000" in err


@pytest.mark.parametrize("words", ["", "3,,5", "3,", "3 5", "x"])
def test_lists_need_commas_between_integers(words: str) -> None:
    assert read_integers("2, -3") == (2, -3)
    with pytest.raises(ValueError, match=f"integers with commas between them, .* got '{words}'"):
        read_integers(words)


def test_errors_about_long_lists_are_short() -> None:
    with pytest.raises(ValueError, match=r"got '7,7.*…'") as caught:
        read_integers(",".join(["7"] * 5000) + ",x")
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("command", [["encode", "5"], ["plan", "6"], ["theory"]])
def test_bases_of_too_many_circles_are_refused_at_once(pfe: Pfe, command: list[str]) -> None:
    code, out, err = pfe(*command, "--depth", "1000000")
    assert (code, out) == (2, "")
    assert "must make at most 10000 circles, got 16 primes at depth 1000000" in err
    assert read_basis((3, 5), 5000).depth == 5000


def test_basis_defaults_to_the_papers() -> None:
    assert read_basis(None, None) == PAPER_BASIS
    assert read_basis((2, 3), 4) == PrimeBasis((2, 3), 4)


def test_output_paths_are_checked_first(tmp_path: Path) -> None:
    check_output(tmp_path / "x.PNG", (".png", ".svg"))
    with pytest.raises(ValueError, match=r"--out must end in .png, .svg, got"):
        check_output(tmp_path / "x.gif", (".png", ".svg"))
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        check_output(tmp_path / "none" / "x.png", (".png",))


@pytest.mark.parametrize("command", [["run", "exp1"], ["run", "exp1", "--plan"], ["verify", "."]])
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--workers", "-1"], "--workers must be at least 0, got -1"),
        (["--workers", "1", "--scheduler", "tcp://x"], "exclude each other"),
        (["--device", "cuda:99"], "--device 'cuda:99' cannot be used here"),
    ],
)
def test_commands_that_train_check_their_place_first(
    pfe: Pfe,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: list[str],
    words: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = pfe(*command, *words)
    assert (code, out) == (2, "")
    assert message in err
    assert list(tmp_path.iterdir()) == []
