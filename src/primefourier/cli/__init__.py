"""The command ``pfe``; needs the extra ``cli``."""

from __future__ import annotations

import sys


def main() -> None:
    """Run ``pfe`` with the arguments of this process, and exit with its code."""
    try:
        from primefourier.cli.app import run
    except ImportError as error:
        if error.name not in ("cyclopts", "rich"):
            raise
        sys.exit(
            f"pfe needs {error.name}, which is not installed; run pip install 'primefourier[cli]'"
        )
    except KeyboardInterrupt:
        sys.exit("Stopped.")
    sys.exit(run(sys.argv[1:]))
