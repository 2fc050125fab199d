import io
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

from primefourier.cli.progress import describe
from primefourier.lab.run_model import run_model
from small_models import small_config

PFE = Path(sys.executable).with_name("pfe")


def test_a_terminal_gets_a_live_bar(tmp_path: Path) -> None:
    words = ["run", "exp1", "--sizes", "2", "--ranges", "20", "--epochs", "1", "--workers", "0"]
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [str(PFE), *words, "--out", str(tmp_path / "out")],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    ) as child:
        os.close(theirs)
        shown = io.BytesIO()
        try:
            while chunk := os.read(ours, 4096):
                shown.write(chunk)
        except OSError:  # the other end is closed
            pass
        assert child.stdout is not None
        assert b"Measured 2 of 2 models" in child.stdout.read()
    os.close(ours)
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.getvalue().decode())
    assert "2/2" in text
    assert "models a minute" in text
    assert "[1/2]" not in text


def test_a_line_tells_the_model_and_its_drops() -> None:
    text = describe(run_model(small_config()))
    assert text.startswith("exp1 N=5 r=30 |P|=3 seed=42 accuracy 0.")
    assert ", drops 5: " in text
    assert ", others " in text
    assert "drops none, others" in describe(run_model(small_config(modulus=11)))
    assert "others" not in describe(run_model(small_config(primes=(5,))))
    failed = describe(run_model(small_config(), device="nonsense"))
    assert "FAILED: RuntimeError" in failed
