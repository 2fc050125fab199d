"""The command ``pfe``; needs the extra ``cli``."""

from __future__ import annotations

import os
import sys
import threading

from primefourier.encoding.encode import THREAD_NAME


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
    code = run(sys.argv[1:])
    if code and any(thread.name.startswith(THREAD_NAME) for thread in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)  # Python would wait for threads whose codes nobody wants any more
    sys.exit(code)
