import json
from collections.abc import Callable
from pathlib import Path

import pytest

from primefourier.lab.sweep import read_store

Pfe = Callable[..., tuple[int, str, str]]
SMALL = ("--epochs", "1", "--pairs", "200", "--depth", "2", "--workers", "0")


def test_any_part_or_extension_can_be_run(pfe: Pfe, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    words = ("--moduli", "15,45", "--ranges", "20,30", "--seeds", "1,2", "--operation", "multiply")
    code, text, _ = pfe("run", "exp2", *words, "--primes", "3,5", *SMALL, "--out", out)
    assert code == 0
    assert "Measured 8 of 8 models" in text
    with read_store(tmp_path / "out") as store:
        records = store.records()
    assert {(r.config.modulus, r.config.input_range, r.config.seed) for r in records} == {
        (n, r, s) for n in (15, 45) for r in (20, 30) for s in (1, 2)
    }
    assert {(r.config.operation, r.config.primes, r.config.depth) for r in records} == {
        ("multiply", (3, 5), 2)
    }


def test_a_settings_file_says_it_all(pfe: Pfe, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        "[exp1]\nsizes = [2]\nranges = [20]\nepochs = 1\ndepth = 2\n"
        "[control]\nsizes = [2]\nranges = [20]\nepochs = 1\nembedding = 'shuffled-pair'\n"
    )
    out = str(tmp_path / "out")
    assert pfe("run", "--config", str(path), "--workers", "0", "--out", out)[0] == 0
    with read_store(tmp_path / "out") as store:
        assert [r.config.embedding for r in store.records()] == ["pfe"] * 2 + ["shuffled-pair"] * 2
    code, _, err = pfe("run", "exp1", "--config", str(path), "--out", out)
    assert (code, "got also exp1" in err) == (2, True)
    code, _, err = pfe("run", "--batch-size", "3", "--config", str(path), "--out", out)
    assert (code, "got also --batch-size" in err) == (2, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["exp4"], "did you mean 'exp"),
        ([], "an experiment is required, one of exp1, control, exp2, or --config FILE"),
        (["exp1", "--moduli", "15"], "--moduli is an option of exp2, not of exp1"),
        (["exp2", "--sizes", "4"], "--sizes is an option of exp1 and control, not of exp2"),
        (["control", "--embedding", "pfe"], "embedding 'pfe' is that of exp1"),
        (["exp1", "--embedding", "shuffled-pair"], "--embedding is an option of control, not"),
        (["exp1", "--rangs", "15"], "Did you mean --ranges?"),
        (["exp1", "--ranges", "1"], "input_range must be an integer of at least 2, got 1"),
        (["exp1", "--ranges", "1e3"], "--ranges takes integers with commas between them"),
        (["exp2", "--moduli", "1"], "modulus must be an integer of at least 2, got 1"),
        (["exp1", "--sizes", "17"], "at most the number of primes, 16, got 17"),
        (["exp1", "--epochs", "2.5"], "an integer such as"),
        (["exp1", "--primes", "3,9"], "primes must be distinct primes, got 9"),
        (["exp1", "--workers", "-1"], "--workers must be at least 0"),
        (["exp1", "--workers", "1", "--scheduler", "tcp://x"], "exclude each other"),
        (["exp1", "--device", "nonsense"], "--device 'nonsense' cannot be used here"),
        (["--config", "none.toml"], "none.toml cannot be read: No such file"),
        (
            ["control", "--probe"],
            "--probe looks at the rows and blocks of primes, and the shuffled",
        ),
        (["control", "--probe", "--plan"], "has none; leave it out, or probe exp1"),
    ],
)
def test_bad_input_is_refused_before_anything_is_written(
    pfe: Pfe, tmp_path: Path, words: list[str], message: str
) -> None:
    out = tmp_path / "out"
    code, text, err = pfe("run", *words, "--out", str(out))
    assert (code, text) == (2, "")
    assert message in err
    assert not out.exists()


def test_invisible_primes_are_named_and_the_run_goes_on(pfe: Pfe, tmp_path: Path) -> None:
    words = ("--moduli", "30", "--ranges", "20", "--primes", "3,5", "--out", str(tmp_path / "out"))
    code, _, err = pfe("run", "exp2", *words, *SMALL)
    assert code == 0
    assert "N = 30: The basis cannot see the factor 2" in err
    assert "invisible to the network: 2." in err


def test_failed_models_give_exit_code_1(
    pfe: Pfe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("primefourier.cli.sweep_options.check_device", lambda device: None)
    out = str(tmp_path / "out")
    words = ("--sizes", "1", "--ranges", "20", "--device", "nonsense", "--out", out)
    code, text, err = pfe("run", "exp1", *words, *SMALL)
    assert code == 1
    assert "FAILED: RuntimeError" in err
    assert "1 failed" in text
    assert "shows why; the same command tries the failed ones again" in text
    assert "nonsense" in pfe("status", out)[1]
    assert json.loads(pfe("status", out, "--json")[1])["failed"] == 1


def test_a_foreign_folder_is_refused(pfe: Pfe, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    code, _, err = pfe("run", "exp1", "--sizes", "1", *SMALL, "--out", str(tmp_path))
    assert code == 2
    assert "holds other files, such as 'notes.txt'" in err


def test_a_scheduler_that_is_not_there_gives_exit_code_1(
    pfe: Pfe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("primefourier.cluster.remote._CONNECT_SECONDS", 1)
    words = ("--sizes", "1", "--scheduler", "tcp://127.0.0.1:9", "--out", str(tmp_path / "out"))
    code, _, err = pfe("run", "exp1", *words)
    assert code == 1
    assert "no Dask scheduler answers at 'tcp://127.0.0.1:9'" in err


def test_networks_can_be_probed_at_once_or_later(pfe: Pfe, tmp_path: Path) -> None:
    words = ("--sizes", "2", "--ranges", "20", *SMALL, "--out", str(tmp_path / "out"))
    code, text, _ = pfe("run", "exp1", *words, "--probe")
    assert (code, "Measured 2 of 2 models" in text) == (0, True)
    code, text, _ = pfe("run", "exp1", *words, "--seeds", "42,43")
    assert (code, "Measured 4 of 4 models" in text) == (0, True)
    with read_store(tmp_path / "out") as store:
        assert (
            sorted(record.probe is None for record in store.records()) == [False] * 2 + [True] * 2
        )
    code, text, err = pfe("run", "exp1", *words, "--seeds", "42,43", "--probe")
    assert (code, "Measured 4 of 4 models" in text) == (0, True)
    assert "otherwise" not in err
    with read_store(tmp_path / "out") as store:
        assert all(record.probe is not None for record in store.records())
        assert store.commands()


def test_a_plan_counts_models_that_only_lack_a_probe(pfe: Pfe, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    words = ("run", "exp1", "--ranges", "20", *SMALL, "--out", out)
    assert pfe(*words, "--sizes", "2", "--probe")[0] == 0
    assert pfe(*words, "--sizes", "3")[0] == 0
    code, text, _ = pfe(*words, "--sizes", "2,3", "--plan")
    assert (code, text) == (0, f"5 models: 5 measured already in {out}, nothing to train.\n")
    code, text, _ = pfe(*words, "--sizes", "2,3", "--plan", "--probe")
    assert code == 0
    assert text.startswith(f"5 models: 2 measured already in {out}, 3 to train, ")
    code, text, _ = pfe(*words, "--sizes", "2", "--plan", "--probe")
    assert (code, text) == (0, f"2 models: 2 measured already in {out}, nothing to train.\n")


def test_a_settings_file_may_hold_models_that_cannot_be_probed(pfe: Pfe, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    part = "sizes = [1]\nranges = [20]\nepochs = 1\ndepth = 2\n"
    path.write_text(f"[exp1]\n{part}[control]\n{part}")
    out = tmp_path / "out"
    code, text, _ = pfe(
        "run", "--config", str(path), "--workers", "0", "--out", str(out), "--probe"
    )
    assert (code, "Measured 2 of 2 models" in text) == (0, True)
    with read_store(out) as store:
        assert {r.config.embedding: r.probe is None for r in store.records()} == {
            "pfe": False,
            "shuffled-column": True,
        }
