"""Usage errors, options, help, exit codes, and ``pfe`` as a process."""

import errno
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import primefourier
from primefourier.cli.app import make_app
from primefourier.cli.options import STANDARD_INPUT, read_basis, read_integer, read_integers

Pfe = Callable[..., tuple[int, str, str]]
CHOSEN = {"ATEN_CPU_CAPABILITY": "default"}
PFE = Path(sys.executable).with_name("pfe")
COMMANDS = (
    *("encode", "encode-file", "decode", "plan", "theory", "circles", "explore"),
    *("reproduce", "run", "status", "claims", "figures", "report", "export"),
    *("repair", "verify", "summary"),
)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("encod 9", 'Did you mean "encode"?'),
        ("run exp1 --rangs 15", "Did you mean --ranges?"),
        ("plan", "MODULUS requires an argument"),
        ("encode 5 --depth 2.7", "--depth: an integer such as 9 or -17 is required, got '2.7'"),
        ("run exp1 --workers -1", "--workers. Must be >= 0"),
        ("plan 15 --range 0", "--range. Must be >= 1"),
        ("demo cheat --range 1", "--range. Must be >= 2"),
        ("claims x --ablation median", '--ablation. Choose from: "zero", "mean", "permute"'),
    ],
)
def test_wrong_usage_exits_with_2_and_names_the_help(pfe: Pfe, words: str, message: str) -> None:
    code, out, err = pfe(*words.split())
    assert (code, out) == (2, "")
    assert message in err
    assert " --help for its usage." in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("plan 1", "modulus must be an integer of at least 2, got 1"),
        ("run exp1 --sizes 17", "sizes must be at most the number of primes, 16, got 17"),
        ("run exp1 --workers 0 --scheduler tcp://x", "--workers 0 and --scheduler exclude each"),
        ("run exp1 --plan --device cuda:99", "--device 'cuda:99' cannot be used here"),
        ("verify . --device cuda:99", "--device 'cuda:99' cannot be used here"),
        ("reproduce --profile papr", "profile must be 'smoke', 'quick' or 'paper', got 'papr'"),
        ("theory --depth 1000000", "--primes and --depth must make at most 10000 circles, got 16"),
        ("encode", "at least one integer is required"),
        ("encode 5 --out x.txt", "--out must end in .npy"),
        ("encode 5 --out x.npy --json", "--out and --json exclude each other"),
        ("decode none.json", "none.json: No such file or directory"),
        ("explore --operation divide", 'Invalid value "divide" for --operation'),
        ("explore --out none/e.html", "there is no folder 'none'"),
        ("circles 1 2 --modulus 5 --out x.gif", "--out must end in .png, .svg, .pdf"),
        ("report . --out x.pdf", "--out must end in .html, .htm"),
        ("encode-file no.csv --out o.npy --column n", "cannot read no.csv: No such file or dir"),
        ("run mine.py", "file 'mine.py' not found; name a Python file with a study"),
        ("run mine", "a study must be a Python file, or a command of pfe run --help, got 'mine'"),
        ("status", "there is no run here or in results/*; name its folder"),
        ("demo cheat --modulus 15015", "--modulus must be at most 2236, to be proved, got 15015"),
        ("demo cheat --modulus 12", "--modulus must be a product of different primes from 3 to"),
    ],
)
def test_mistakes_are_named_in_one_line_and_nothing_is_written(
    pfe: Pfe, here: Path, words: str, message: str
) -> None:
    code, out, err = pfe(*words.split())
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {message}")
    assert list(here.iterdir()) == []


def test_help_lists_every_command_and_says_where_to_start(pfe: Pfe) -> None:
    code, out, _ = pfe()
    assert (code, out) == (0, pfe("--help")[1])
    assert "Start with pfe demo cheat" in out
    assert [command for command in COMMANDS if f" {command} " not in out] == []
    assert max(map(len, out.splitlines())) <= 80
    assert re.findall(r"│ ([a-z-]+) +│", out) == [], "no command without a line of its help"
    assert pfe("--version")[1].strip() == primefourier.__version__


@pytest.mark.parametrize("command", [*COMMANDS, "demo cheat", "demo huge"])
def test_help_fits_80_columns_and_has_an_example_that_can_be_typed(pfe: Pfe, command: str) -> None:
    code, text, _ = pfe(*command.split(), "--help")
    assert code == 0
    assert max(map(len, text.splitlines())) <= 80
    (example,) = re.findall(r"^Example: pfe (.*)$", text, re.M)
    *_, example = example.split(" | pfe ")
    assert example.startswith(command)
    words = [STANDARD_INPUT if word == "-" else word for word in example.split()]
    make_app().parse_args(words, exit_on_error=False, print_error=False)


@pytest.mark.parametrize("word", ["", "3.0", "1e3", "0x10", "x", "1_000", "nan", "٣ ٣"])
def test_words_that_are_no_integers_are_refused(word: str) -> None:
    with pytest.raises(ValueError, match="an integer such as 9 or -17 is required, got"):
        read_integer(word)
    with pytest.raises(ValueError, match=r"integers with commas between them, .* got '3,"):
        read_integers(f"3,{word}")


def test_integers_of_any_size_are_read(pfe: Pfe) -> None:
    assert [read_integer(word) for word in ("-17", "+3", "1" * 300)] == [-17, 3, int("1" * 300)]
    assert read_integers("2, -3") == (2, -3)
    code, _, err = pfe("encode", "9" * 2_000_000)
    assert (code, err.count("9") < 100) == (2, True)
    assert "an integer of at most 300000 digits is required, got 2000000" in err
    with pytest.raises(ValueError, match="got '7,7,") as caught:
        read_integers(",".join(["7"] * 5000) + ",x")
    assert len(str(caught.value)) < 200


def test_a_basis_is_the_papers_unless_it_is_named() -> None:
    assert read_basis((3, 5), 5000).depth == 5000
    assert read_basis(None, None) == primefourier.PAPER_BASIS


@pytest.mark.process
def test_installed_command_runs_and_a_closed_pipe_is_no_error() -> None:
    plain = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    whole = subprocess.run(
        [PFE, "plan", "12"], capture_output=True, text=True, check=True, env=plain
    )
    assert whole.stdout.startswith("12 = 2? ? 3\n"), "an ASCII terminal gets question marks"
    cut = subprocess.run(
        f"{PFE} encode {' '.join(map(str, range(200)))} --json | head -c 10",
        shell=True, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (cut.stdout, cut.stderr) == ('{"primes":', "")


@pytest.mark.process
@pytest.mark.skipif(
    " avx2 " not in Path("/proc/cpuinfo").read_text(), reason="a processor with AVX2 is required"
)
def test_records_do_not_depend_on_avx512() -> None:
    """The published records were measured with AVX2; a variable of the user has priority."""
    program = (
        "import os, sys; from primefourier.cli import main; sys.argv = ['pfe', 'plan', '21']\n"
        "try:\n    main()\nexcept SystemExit:\n    chosen = os.environ['ATEN_CPU_CAPABILITY']\n"
        "    if chosen == 'avx2':\n        import torch\n"
        "        chosen = torch.backends.cpu.get_cpu_capability()\n    print(chosen)"
    )
    known = {k: v for k, v in os.environ.items() if k != "ATEN_CPU_CAPABILITY"}
    for chosen, expected in (({}, "AVX2"), (CHOSEN, "default")):
        words = [sys.executable, "-c", program]
        done = subprocess.run(words, env=known | chosen, capture_output=True, text=True)
        assert done.stdout.splitlines()[-1] == expected


@pytest.mark.process
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_command_that_encodes(tmp_path: Path, number: signal.Signals) -> None:
    np.save(tmp_path / "in.npy", np.arange(10_000_000))
    words = ["encode-file", str(tmp_path / "in.npy"), "--out", str(tmp_path / "x.npy")]
    with subprocess.Popen([str(PFE), *words], stderr=subprocess.PIPE) as process:
        while not any(p.stat().st_size > 10**6 for p in tmp_path.glob(".x.npy.unfinished")):
            time.sleep(0.01)
        process.send_signal(number)
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 1
    assert errors.startswith(b"Stopped. Nothing was written.")
    assert [path.name for path in tmp_path.iterdir()] == ["in.npy"]


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (MemoryError(), 2, "error: this needs more memory than there is; use a smaller basis\n"),
        (
            PermissionError(errno.EACCES, "Permission denied", "codes.npy"),
            2,
            "error: codes.npy: Permission denied\n",
        ),
        (KeyboardInterrupt(), 1, "Stopped.\n"),
        (RuntimeError("a bug"), None, ""),
    ],
)
def test_errors_are_reported_in_one_line_and_bugs_keep_their_traceback(
    pfe: Pfe,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    code: int | None,
    message: str,
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("primefourier.cli.checks.check_theorem", fail)
    if code is None:
        with pytest.raises(RuntimeError, match="a bug"):
            pfe("theory")
    else:
        assert pfe("theory") == (code, "", message)


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("circles 1 2 --modulus 5", "/proc/x.png"),
        ("encode 5", "/proc/x.npy"),
        ("explore --no-open", "/proc/x.html"),
        ("encode-file {numbers}", "/proc/x.npy"),
        ("export {ablated}", "/proc/x.parquet"),
        ("figures {ablated}", "/proc/x"),
        ("report {ablated}", "/proc/x.html"),
    ],
)
def test_output_that_cannot_be_written_is_reported_without_an_error_number(
    pfe: Pfe, ablated: Path, tmp_path: Path, words: str, place: str
) -> None:
    np.save(tmp_path / "n.npy", np.arange(3))
    words = words.format(ablated=ablated, numbers=tmp_path / "n.npy")
    code, out, err = pfe(*words.split(), "--out", place)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {place} cannot be written: No such file or directory; ")
    assert "choose another" in err
    assert "Errno" not in err


@pytest.mark.parametrize(
    "command", ["status", "summary", "claims", "figures", "report", "export", "repair"]
)
def test_folders_without_a_run_are_refused(pfe: Pfe, tmp_path: Path, command: str) -> None:
    for folder in (tmp_path / "none", tmp_path):
        code, out, err = pfe(command, str(folder))
        assert (code, out) == (2, "")
        assert re.search(f"there is no folder '{folder}'|{folder} holds no records.jsonl", err)
    assert list(tmp_path.iterdir()) == []
