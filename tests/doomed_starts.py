"""Worker processes that are killed while they start, as when memory runs out."""

from pathlib import Path

_PROGRAM = """
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

if "primefourier.lab.worker" in sys.orig_argv:
    for ticket in Path(__file__).parent.glob("*.ticket"):
        with suppress(FileNotFoundError):  # another process was faster
            ticket.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
"""


class DoomedStarts:
    """Kills worker processes of drivers that have a folder in their sys.path.

    Args:
        folder: That folder, which is empty.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "sitecustomize.py").write_text(_PROGRAM)

    def doom(self, count: int) -> None:
        """Kill the next so many worker processes before they have done anything, and no more."""
        for ticket in self.folder.glob("*.ticket"):
            ticket.unlink()
        for i in range(count):
            (self.folder / f"{i}.ticket").touch()
