from collections.abc import Callable
from pathlib import Path

Pfe = Callable[..., tuple[int, str, str]]


def test_a_picture_is_written(pfe: Pfe, tmp_path: Path) -> None:
    path = tmp_path / "circles.png"
    code, out, _ = pfe("circles", "-9", "17", "--modulus", "23", "--out", str(path))
    assert (code, out) == (0, f"Wrote {path}.\n")
    assert path.read_bytes().startswith(b"\x89PNG")
    assert pfe("circles", "1", "2", "--modulus", "6", "--primes", "2,3", "--out", str(path))[0] == 0


def test_mistakes_are_told_before_anything_is_written(pfe: Pfe, tmp_path: Path) -> None:
    for options, words in (
        (
            ["--modulus", "5", "--out", str(tmp_path / "x.gif")],
            "--out must end in .png, .svg, .pdf",
        ),
        (["--modulus", "5", "--out", str(tmp_path / "no" / "x.png")], "there is no folder"),
        (["--modulus", "1", "--out", str(tmp_path / "x.png")], "at least 2, got 1"),
        (["--modulus", "5", "--primes", "4", "--out", str(tmp_path / "x.png")], "got 4"),
    ):
        code, out, err = pfe("circles", "1", "2", *options)
        assert (code, out) == (2, "")
        assert words in err
    assert list(tmp_path.iterdir()) == []
