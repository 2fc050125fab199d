"""When is something that was broken on purpose hung, and no longer just slow?"""

import faulthandler
import signal
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 300.0
"""Seconds without a sign of life, also on a loaded core."""


class HungError(Exception):
    """Something waits for ever, or as good as."""


@contextmanager
def limit(seconds: float = PATIENCE) -> Iterator[None]:
    """Break off what this process itself does, and show where it was, if it takes too long."""

    def ring(_number: int, _frame: object) -> None:
        faulthandler.dump_traceback()
        raise HungError(f"this took more than {seconds} s")

    handler = signal.signal(signal.SIGALRM, ring)
    timer = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, handler)
