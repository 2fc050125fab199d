"""Try what ``make dist`` built as a new user does: each extra in an empty environment.

``python -m release PYTHON …`` tries what needs no torch on further Pythons, too.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMMANDS = (
    "pfe --version",
    "pfe plan 231 --range 100",
    "pfe encode 9 17 --primes 3,5,7 --depth 2",
    "pfe explore 13 15 --modulus 21 --no-open",
)
PAPER = "pfe run exp1 --sizes 1 --ranges 100 --seeds 1 --out run"
DRAW = """
from primefourier.figures import draw_circles
draw_circles(13, 15, 21).savefig("circles.png")
"""
FILE = """
import pyarrow, pyarrow.parquet
from primefourier.files import encode_file
pyarrow.parquet.write_table(pyarrow.table({"n": [1, -2, 10**18]}), "n.parquet")
assert encode_file("n.parquet", "codes.parquet") == 3
"""
CLUSTER = """
from distributed import Client
"""
SKLEARN = """
from primefourier.sklearn import PrimeFourierFeatures
assert PrimeFourierFeatures(modulus=7).fit_transform([[0], [10**30]]).shape == (2, 2)
"""
LIGHT = """
import sys
from importlib.metadata import distributions
names = {found.metadata["Name"] for found in distributions()} - {"pip", "setuptools"}
assert names == {"primefourier", "numpy"}, names
import primefourier
assert not {"torch", "scipy", "matplotlib"} & set(sys.modules)
"""


@dataclass(frozen=True)
class Trial:
    """What must work with an extra: examples of the README, a program, and commands.

    Args:
        examples: Which examples: 0 none, 1 those of numpy, 2 also of torch, 3 also of the
            laboratory.
        program: A program.
        commands: Commands.
    """

    examples: int = 1
    program: str = ""
    commands: tuple[str, ...] = ()

    @property
    def torch(self) -> bool:
        """Whether torch is needed."""
        return self.examples > 1


PAPER_TRIAL = Trial(commands=(PAPER, "pfe claims run"))
"""What must work with the package of the paper."""
TRIALS = {
    "": Trial(program=LIGHT),
    "nn": Trial(2),
    "cli": Trial(commands=COMMANDS),
    "figures": Trial(program=DRAW),
    "files": Trial(program=FILE),
    "cluster": Trial(program=CLUSTER),
    "sklearn": Trial(program=SKLEARN),
    "lab": Trial(3, DRAW + FILE, COMMANDS),
    "all": Trial(3, DRAW + FILE + CLUSTER, COMMANDS),
}


def program(trial: Trial) -> str:
    """Return a program with examples of the README, which checks what they show."""
    text = (ROOT / "README.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    needed = [3 if "import lab" in block else 1 + ("import torch" in block) for block in blocks]
    examples = [block for block, n in zip(blocks, needed, strict=True) if n <= trial.examples]
    lines = []
    for line in "\n".join([*examples, trial.program]).splitlines():
        code, arrow, shown = line.partition("  # → ")
        check = f"assert {shown!r} in (repr(_), str(_)), _"
        lines += [f"_ = {code}", check] if arrow else [line]
    return "\n".join(lines)


def try_extra(
    python: str, package: Path, extra: str, folder: Path, paper: Path | None = None
) -> None:
    """Install a package with an extra into an empty environment, and try it in an empty folder.

    Args:
        python: The Python to try.
        package: The wheel or the source release of the library.
        extra: The extra to install, if any.
        folder: An empty folder.
        paper: The wheel of the paper's package, to be installed and tried as well.
    """
    trial, environment, place = TRIALS[extra], folder / "environment", folder / "empty"
    place.mkdir()
    _run([python, "-m", "venv", str(environment)], folder)
    install = [str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    if trial.torch:  # first and pinned: a wider range could find another build
        _run([*install, "--constraint", str(ROOT / "constraints.txt"), "torch"], folder)
    _run([*install, f"{package}[{extra}]" if extra else str(package)], folder)
    run_trial(environment / "bin", trial, place)
    if paper:
        _run([*install, str(paper)], folder)
        run_trial(environment / "bin", PAPER_TRIAL, place)


def run_trial(own: Path, trial: Trial, place: Path) -> None:
    """Run a trial with the programs of an environment."""
    (place / "trial.py").write_text(program(trial))
    for command in ("python -I trial.py", *trial.commands):
        name, *options = command.split()
        _run([str(own / name), *options], place)


def _run(words: Sequence[str], folder: Path) -> None:
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(words, cwd=folder, env=clean, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}\n{done.stdout}{done.stderr}")


def main(pythons: Sequence[str]) -> int:
    """Try the wheel with every extra, and the source release; return 1 if any trial failed."""
    kinds = ("primefourier-*.whl", "primefourier-*.tar.gz", "primefourier_paper-*.whl")
    (wheel,), (source,), (paper,) = (sorted((ROOT / "dist").glob(kind)) for kind in kinds)
    tries = [(sys.executable, wheel, extra) for extra in TRIALS]
    tries += [(sys.executable, source, "")]
    tries += [(p, wheel, extra) for p in pythons for extra in TRIALS if not TRIALS[extra].torch]
    failed = 0
    for python, package, extra in tries:
        begin, result = time.monotonic(), "works"
        with tempfile.TemporaryDirectory() as folder:
            try:
                own = paper if extra == "lab" else None
                try_extra(python, package, extra, Path(folder), own)
            except RuntimeError as error:
                failed, result = failed + 1, f"FAILED\n{error}"
        seconds = time.monotonic() - begin
        print(f"{package.name}[{extra}] with {python}: {result} ({seconds:.0f} s)", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
