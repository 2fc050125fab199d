"""Worker processes that are killed while they start, or hang, as when memory runs out."""

from pathlib import Path

_PROGRAM = """
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

if "primefourier.lab.worker" in sys.orig_argv:
    for ticket in Path(__file__).parent.glob("*.ticket"):
        with suppress(FileNotFoundError):  # another process was faster
            ticket.unlink()
            if "hang" in ticket.name:
                time.sleep(600)
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

    def doom(self, count: int, *, hang: bool = False) -> None:
        """Kill the next so many worker processes before they have done anything, and no more.

        Args:
            count: How many.
            hang: Whether they hang instead of being killed.
        """
        for ticket in self.folder.glob("*.ticket"):
            ticket.unlink()
        for i in range(count):
            (self.folder / f"{i}{'-hang' * hang}.ticket").touch()
