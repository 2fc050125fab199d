import platform
import subprocess
from pathlib import Path

from primefourier.lab.provenance import commit, machine, provenance_now
from small_models import small_config

ROOT = Path(__file__).parents[2]


def test_provenance_names_versions_machine_and_time() -> None:
    found = provenance_now(small_config(), seconds=1.23456, device="cpu")
    assert found.seconds == 1.235
    assert found.finished.endswith("+00:00")
    assert list(found.versions) == ["python", "primefourier", "numpy", "torch"]
    assert found.versions["python"] == platform.python_version()
    assert found.versions["torch"].startswith("2.")
    assert platform.system() in machine()


def test_the_commit_is_that_of_this_source() -> None:
    git = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
    done = subprocess.run(git, capture_output=True, text=True, check=False)
    head = done.stdout.strip() if done.returncode == 0 else None
    found = commit()
    assert found is None if head is None else found is not None and found.rstrip("+") == head
