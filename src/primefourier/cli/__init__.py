"""The command ``pfe``; needs the extra ``cli``."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    """Run ``pfe`` with the arguments of this process, and exit with its code."""
    # before torch is loaded, which reads it once
    os.environ.update(_kernels() | os.environ)
    try:
        from primefourier.cli.app import run
    except ImportError as error:
        if error.name not in ("cyclopts", "rich"):
            raise
        sys.exit(
            f"pfe needs {error.name}, which is not installed; run pip install '.[cli]' in a clone"
        )
    except KeyboardInterrupt:
        sys.exit("Stopped.")
    sys.exit(run(sys.argv[1:]))


def _kernels() -> dict[str, str]:
    """Return settings for torch under which processors with and without AVX-512 train alike.

    The two sets of kernels add in different orders, so records would differ in their last answers.
    A variable that the user has set counts. Worker processes inherit it.
    """
    info = Path("/proc/cpuinfo")
    wide = info.is_file() and " avx512f " in info.read_text()
    return {"ATEN_CPU_CAPABILITY": "avx2"} if wide else {}
