import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import primefourier

PFE = Path(sys.executable).with_name("pfe")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["encod", "9"], 'Did you mean "encode"?'),
        (["theroy"], 'Did you mean "theory"?'),
        (["encode", "9", "--prime", "3"], "Did you mean --primes?"),
        (["plan"], "MODULUS requires an argument"),
        (["circles", "1", "2"], "requires an argument"),
        (["encode", "9", "--dtype", "float8"], "float8"),
    ],
)
def test_wrong_usage_exits_with_2_and_helps(
    pfe: Callable[..., tuple[int, str, str]], arguments: list[str], words: str
) -> None:
    code, out, err = pfe(*arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert "--help shows how it is used." in err


def test_help_lists_every_command(pfe: Callable[..., tuple[int, str, str]]) -> None:
    code, out, _ = pfe("--help")
    assert code == 0
    for command in (
        *("encode", "decode", "plan", "theory", "circles", "explore", "version"),
        *("reproduce", "run", "status", "claims", "figures", "report", "export"),
    ):
        assert command in out
        assert pfe(command, "--help")[0] == 0
    assert pfe("--version")[1].strip() == primefourier.__version__


def test_the_installed_command_runs_and_a_closed_pipe_is_no_error() -> None:
    whole = subprocess.run([PFE, "plan", "21"], capture_output=True, text=True, check=True)
    assert whole.stdout.startswith("21 = 3 · 7\n")
    cut = subprocess.run(
        f"{PFE} encode {' '.join(map(str, range(200)))} --json | head -c 10",
        shell=True, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (cut.stdout, cut.stderr) == ('{"primes":', "")
    wrong = subprocess.run([PFE, "plan", "1"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert wrong.stderr == "error: modulus must be an integer of at least 2, got 1\n"


def test_help_loads_neither_torch_nor_matplotlib() -> None:
    program = (
        "import sys\nfrom primefourier.cli.app import run\nrun(['--help'])\n"
        "sys.exit(bool({'torch', 'matplotlib'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)


def test_plain_ascii_terminals_get_plain_signs() -> None:
    plain = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [PFE, "plan", "12"], capture_output=True, text=True, check=True, env=plain
    )
    assert done.stdout.startswith("12 = 2? ? 3")
    done = subprocess.run([PFE, "theory"], capture_output=True, text=True, check=True, env=plain)
    assert "10 of 10 checks hold." in done.stdout


def test_what_needs_too_much_memory_is_told(
    pfe: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def exhausted(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("primefourier.cli.theory.check_theorem", exhausted)
    code, _, err = pfe("theory")
    assert code == 2
    assert "more memory than there is" in err
