"""What a release holds, and that what it installs works where nothing else is."""

import re
import subprocess
import sys
import tarfile
import venv
from importlib.metadata import distribution
from pathlib import Path

import pytest

from release.__main__ import TRIALS, Trial, program, run_trial
from release.licences import PAGE, rows
from release.requirements import FOR_DEVELOPERS, ROOT, extras, needed, pins

NEEDED = (
    *("Makefile", "constraints.txt", "requirements.lock", "requirements-interop.lock"),
    *("pyproject.toml", "ARCHITECTURE.md", "LICENSE", "SECURITY.md", "release/lock.py"),
    *("src/primefourier/__main__.py", "tests/conftest.py", "docs/security.md", "chaos/fuzz.py"),
    *("benchmarks/__main__.py", "studies/two_blocks.py", "results/paper/records.sqlite"),
)


@pytest.mark.process
def test_a_source_release_can_be_installed_tested_and_reproduced(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (release,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(release) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert [name for name in NEEDED if name not in names] == []
    assert not any(name.startswith((".venv", ".git/", "results/quick")) for name in names)


@pytest.mark.process
@pytest.mark.slow
def test_a_wheel_works_with_numpy_alone_and_names_the_extra_of_what_is_missing(
    tmp_path: Path,
) -> None:
    """`make release` tries the other extras; this one is installed without a network."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    environment = tmp_path / "environment"
    venv.create(environment)
    own = environment / "bin"
    into = [sys.executable, "-m", "pip", "--python", str(own / "python")]
    install = [*into, "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    (site,) = environment.glob("lib/python*/site-packages")
    numpy = distribution("numpy")
    for top in {file.parts[0] for file in numpy.files or () if file.parts[0] != ".."}:
        (site / top).symlink_to(Path(str(numpy.locate_file(top))))
    place = tmp_path / "empty"
    place.mkdir()
    run_trial(own, TRIALS[""], place)
    for words, extra in (
        (["-c", "import primefourier.nn"], "nn"),
        (["-c", "from primefourier.analysis import ablate"], "nn"),
        (["-c", "import primefourier.figures"], "figures"),
        (["-c", "import primefourier.files"], "files"),
        (["-m", "primefourier"], "cli"),
    ):
        command = [str(own / "python"), "-I", *words]
        done = subprocess.run(command, cwd=place, capture_output=True, text=True)
        assert done.returncode == 1
        last = done.stderr.splitlines()[-1]
        assert "which is not installed; run pip install '.[" + extra + "]'" in last


def test_every_extra_for_users_has_a_trial_that_checks_the_readme() -> None:
    assert extras().keys() - {*FOR_DEVELOPERS} <= TRIALS.keys()
    text = program(Trial(2))
    assert "assert '[9, 17, -26, 123456]' in (repr(_), str(_)), _" in text
    with pytest.raises(AssertionError, match="11"):
        exec(program(Trial(0, "11  # → 12")), {})


def test_the_locks_are_the_pins_and_hold_all_that_make_install_needs() -> None:
    own, others = pins("requirements.lock"), pins("requirements-interop.lock")
    assert not own.keys() & others.keys()
    assert own | others | {"torch": pins()["torch"]} == pins()
    assert needed("dev") & pins().keys() == own.keys() | {"torch"}
    for name in ("requirements.lock", "requirements-interop.lock"):
        text = (ROOT / name).read_text()
        assert not re.search(r"^\S+==\S+(?! \\\n    --hash=sha256:[0-9a-f]{64}\b)$", text, re.M)
        assert "//" not in text  # no host of an index


@pytest.mark.parametrize("library", ["captum", "onnx", "onnxruntime", "scikit-learn", "skrub"])
def test_make_install_needs_no_library_of_an_integration(library: str) -> None:
    assert library in pins("requirements-interop.lock")
    assert library not in needed("dev")


def test_the_licence_of_every_pinned_dependency_of_users_is_listed() -> None:
    listed = PAGE.read_text().splitlines(keepends=True)
    assert [row for row in rows() if row not in listed] == []
    named = {row.split(" | ")[0].removeprefix("| "): row.split(" | ")[1] for row in rows()}
    assert {"numpy", "torch", "scipy", "pyarrow", "dask", "matplotlib"} <= named.keys()
    assert named.items() <= pins().items()
    assert not any("None" in row or "UNKNOWN" in row for row in listed)
