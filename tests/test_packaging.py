"""What a release holds, and that what it installs works where nothing else is."""

import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest

from release.__main__ import ROOT, TRIALS, Trial, program, run_trial

NEEDED = (
    *("Makefile", "constraints.txt", "requirements.lock", "requirements-interop.lock"),
    *("pyproject.toml", "ARCHITECTURE.md", "LICENSE", "SECURITY.md", "release/without-cuda.txt"),
    *("src/primefourier/__main__.py", "tests/conftest.py", "docs/security.md"),
    *("benchmarks/__main__.py", "findings/__main__.py", "paper/results/records.jsonl"),
    *("paper/pyproject.toml", "paper/src/primefourier_paper/plugin.py"),
)


EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
FOR_DEVELOPERS = {"dev", "interop"}


def pins(file: str) -> dict[str, str]:
    """Return the pinned version of each package in constraints or a lock."""
    text = (ROOT / file).read_text()
    return dict(re.findall(r"^([a-z0-9-]+)==([\w.]+)(?= |$)", text, re.MULTILINE))


def named(*extras: str) -> set[str]:
    """Return the packages that some extras name."""
    wanted = [text for extra in extras for text in EXTRAS[extra] if "[" not in text]
    return {text.partition(">")[0].lower().replace("_", "-") for text in wanted}


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
    wheel = build_wheel(ROOT, tmp_path)
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


def build_wheel(package: Path, folder: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=package, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.mark.process
def test_the_wheel_of_the_library_has_nothing_of_the_paper_and_that_of_the_paper_nothing_else(
    tmp_path: Path,
) -> None:
    for package, name in ((ROOT, "primefourier"), (ROOT / "paper", "primefourier_paper")):
        wheel = build_wheel(package, tmp_path / name)
        with zipfile.ZipFile(wheel) as archive:
            tops = {file.partition("/")[0] for file in archive.namelist()}
        assert tops == {name, wheel.name.partition("-py3")[0] + ".dist-info"}


def test_every_extra_for_users_has_a_trial_that_checks_the_readme() -> None:
    assert EXTRAS.keys() - FOR_DEVELOPERS == TRIALS.keys() - {""}
    text = program(Trial(1))
    assert "assert '[9, 17, -26, 123456]' in (repr(_), str(_)), _" in text
    with pytest.raises(AssertionError, match="11"):
        exec(program(Trial(0, "11  # → 12")), {})


def test_the_locks_are_the_pins_and_hold_all_that_extras_name() -> None:
    own, others = pins("requirements.lock"), pins("requirements-interop.lock")
    every = pins("constraints.txt")
    assert not own.keys() & others.keys()
    assert own | others | {"torch": every["torch"]} == every
    assert named(*EXTRAS) <= every.keys()
    assert named(*EXTRAS.keys() - {"interop", "sklearn"}) <= own.keys() | {"torch"}
    assert not any(name.startswith(("nvidia", "cuda", "triton")) for name in every)
    for name in ("requirements.lock", "requirements-interop.lock"):
        text = (ROOT / name).read_text()
        hashed = re.findall(r"^\S+==.* \\\n    --hash=sha256:[0-9a-f]{64}\b", text, re.MULTILINE)
        assert len(hashed) == len(pins(name))
        assert "//" not in text  # no host of an index


@pytest.mark.parametrize("library", ["captum", "onnx", "onnxruntime", "scikit-learn", "skrub"])
def test_make_install_needs_no_library_of_an_integration(library: str) -> None:
    assert library in pins("requirements-interop.lock")


def test_the_licence_of_every_pinned_dependency_of_users_is_listed() -> None:
    page = (ROOT / "docs" / "licences.md").read_text()
    rows = re.findall(r"^\| ([\w.-]+) \| ([\w.]+) \| (\S.*) \|$", page, re.MULTILINE)
    listed = {name.lower().replace("_", "-"): version for name, version, _ in rows[1:]}
    assert len(rows) == page.count("\n|") - 1  # all but the line below the head
    assert named(*EXTRAS.keys() - FOR_DEVELOPERS) | {"numpy"} <= listed.keys()
    assert listed.items() <= pins("constraints.txt").items()
    assert not any("None" in licence or "UNKNOWN" in licence for _, _, licence in rows)
