"""Usage errors, help, exit codes, and ``pfe`` as a process."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import primefourier

Pfe = Callable[..., tuple[int, str, str]]
PFE = Path(sys.executable).with_name("pfe")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("encod 9", 'Did you mean "encode"?'),
        ("theroy", 'Did you mean "theory"?'),
        ("encode 9 --prime 3", "Did you mean --primes?"),
        ("run exp1 --rangs 15", "Did you mean --ranges?"),
        ("plan", "MODULUS requires an argument"),
        ("circles 1 2", "requires an argument"),
        ("encode 9 --dtype float8", "float8"),
        ("verify x --sample 2.5", "an integer such as 9 or -17 is required"),
    ],
)
def test_wrong_usage_exits_with_2_and_names_the_help(pfe: Pfe, words: str, message: str) -> None:
    code, out, err = pfe(*words.split())
    assert (code, out) == (2, "")
    assert message in err
    assert " --help for its usage." in err


def test_help_lists_every_command_and_fits_80_columns(pfe: Pfe) -> None:
    code, out, _ = pfe("--help")
    assert code == 0
    for command in (
        *("encode", "encode-file", "decode", "plan", "theory", "circles", "explore", "version"),
        *("reproduce", "run", "status", "claims", "questions", "figures", "report", "export"),
        *("repair", "verify", "bench"),
    ):
        assert command in out
        code, text, _ = pfe(command, "--help")
        assert code == 0
        assert max(map(len, text.splitlines())) <= 80
    assert pfe("--version")[1].strip() == primefourier.__version__


def test_versions_are_printed_as_text_and_json(pfe: Pfe) -> None:
    versions = json.loads(pfe("version", "--json")[1])
    assert versions["primefourier"] == primefourier.__version__
    assert versions["numpy"] == np.__version__
    assert f"primefourier {primefourier.__version__}" in pfe("version")[1]


@pytest.mark.process
def test_installed_command_runs_and_a_closed_pipe_is_no_error() -> None:
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


@pytest.mark.process
def test_help_and_explore_load_no_heavy_package(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom primefourier.cli.app import run\n"
        "code = run(['--help']) or run(['explore', '--no-open', '--out', sys.argv[1]])\n"
        "heavy = {'torch', 'matplotlib', 'dask', 'distributed', 'duckdb', 'pyarrow'}\n"
        "sys.exit(code or bool(heavy & set(sys.modules)))"
    )
    words = [sys.executable, "-c", program, str(tmp_path / "e.html")]
    subprocess.run(words, check=True, capture_output=True)


@pytest.mark.process
def test_ascii_terminals_get_question_marks() -> None:
    plain = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    for words, expected in ((["plan", "12"], "12 = 2? ? 3"), (["theory"], "10 of 10 checks hold.")):
        done = subprocess.run([PFE, *words], capture_output=True, text=True, check=True, env=plain)
        assert expected in done.stdout


@pytest.mark.process
@pytest.mark.parametrize(("chosen", "expected"), [(None, "AVX2"), ("default", "DEFAULT")])
def test_records_do_not_depend_on_avx512(chosen: str | None, expected: str) -> None:
    """The published records were measured with AVX2; a variable of the user has priority."""
    info = Path("/proc/cpuinfo")
    if not (info.is_file() and " avx2 " in info.read_text()):
        pytest.skip("a processor with AVX2 is required")
    program = (
        "import sys; from primefourier.cli import main; sys.argv = ['pfe', 'plan', '21']\n"
        "try:\n    main()\nexcept SystemExit:\n    import torch\n"
        "    print(torch.backends.cpu.get_cpu_capability())"
    )
    known = {k: v for k, v in os.environ.items() if k != "ATEN_CPU_CAPABILITY"}
    if chosen is not None:
        known["ATEN_CPU_CAPABILITY"] = chosen
    done = subprocess.run(
        [sys.executable, "-c", program], env=known, capture_output=True, text=True
    )
    assert done.stdout.splitlines()[-1] == expected


@pytest.mark.process
def test_ctrl_c_ends_a_command_that_encodes_in_threads(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", np.arange(10_000_000))
    words = ["encode-file", str(tmp_path / "in.npy"), "--out", str(tmp_path / "x.npy")]
    with subprocess.Popen([str(PFE), *words], stderr=subprocess.PIPE) as process:
        while not any(p.stat().st_size > 10**6 for p in tmp_path.glob(".x.npy.unfinished")):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 1
    assert errors.startswith(b"Stopped.")
    assert [path.name for path in tmp_path.iterdir() if path.name != "in.npy"] == []


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
    ],
)
def test_errors_are_reported_in_one_line(
    pfe: Pfe,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    code: int,
    message: str,
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("primefourier.cli.checks.check_theorem", fail)
    assert pfe("theory") == (code, "", message)


def test_bugs_keep_their_traceback(pfe: Pfe, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr("primefourier.cli.checks.check_theorem", fail)
    with pytest.raises(RuntimeError, match="a bug"):
        pfe("theory")


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (["circles", "1", "2", "--modulus", "5"], "/proc/x.png"),
        (["encode", "5"], "/proc/x.npy"),
        (["explore", "--no-open"], "/proc/x.html"),
        (["encode-file", "{numbers}"], "/proc/x.npy"),
        (["export", "{probed}"], "/proc/x.csv"),
        (["export", "{probed}", "--format", "parquet"], "/proc/x.parquet"),
        (["figures", "{probed}"], "/proc/x"),
        (["report", "{probed}"], "/proc/x.html"),
    ],
)
def test_output_that_cannot_be_written_is_reported_without_an_error_number(
    pfe: Pfe, probed: Path, tmp_path: Path, words: list[str], place: str
) -> None:
    np.save(tmp_path / "numbers.npy", np.arange(3))
    words = [word.format(probed=probed, numbers=tmp_path / "numbers.npy") for word in words]
    code, out, err = pfe(*words, "--out", place)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {place} cannot be written: No such file or directory; ")
    assert "choose another" in err
    assert "Errno" not in err
