from pathlib import Path

import pytest

from primefourier.lab.experiments import CompositeModuli, SinglePrime, read_settings


def test_tables_become_experiments(tmp_path: Path) -> None:
    path = tmp_path / "sweep.toml"
    path.write_text(
        "[exp1]\nsizes = [4]\nranges = [100, 200]\n"
        "[[exp2]]\nmoduli = [15]\n[[exp2]]\nmoduli = [45]\noperation = 'multiply'\n"
    )
    assert read_settings(path) == [
        SinglePrime(sizes=(4,), ranges=(100, 200)),
        CompositeModuli(moduli=(15,)),
        CompositeModuli(moduli=(45,), operation="multiply"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[exp3]\n", "unknown key 'exp3' in .*sweep.toml; did you mean"),
        ("[exp1]\nrange = [3]\n", r"unknown key 'range' in \[exp1\] of .*; did you mean 'ranges'"),
        ("[exp1]\nranges = [1]\n", r"\[exp1\] of .*sweep.toml: input_range must be"),
        ("[exp1]\nranges = [2.5]\n", r"\[exp1\] of .*sweep.toml: ranges must be an integer"),
        ("[exp1]\nranges = 3\n", "ranges must be a list of integers"),
        ("exp1 = 3\n", r"\[exp1\] of .* must be a table of settings, got 3"),
        ("", "names no experiment"),
        ("[exp1\n", "is not a TOML file"),
        (b"\xff\xfe", "is not a TOML file"),
    ],
)
def test_whatever_is_wrong_is_named(tmp_path: Path, text: str | bytes, message: str) -> None:
    path = tmp_path / "sweep.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=message):
        read_settings(path)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        read_settings(tmp_path / "none.toml")
