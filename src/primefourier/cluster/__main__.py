"""A worker process on this machine: ``python -m primefourier.cluster ADDRESS FOLDER``.

A terminal sends Ctrl-C to every process in the foreground, and batch systems send SIGTERM to every
process of a job. The driver alone decides what that means, so workers ignore both. They end with
the driver, however it ends: it holds the other end of their standard input.
"""

import asyncio
import os
import shutil
import signal
import sys
import threading


async def work(address: str, folder: str) -> None:
    """Work for a scheduler until it or the driver ends."""
    from distributed import Worker

    async with Worker(
        address,
        name=os.getpid(),
        nthreads=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",  # even without a dashboard there are web pages
        dashboard=False,
        memory_limit=0,
        local_directory=folder,
    ) as worker:
        await worker.finished()


def _end_with_driver(folder: str) -> None:
    os.read(0, 1)  # nothing is ever written: it returns when the other end is closed
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with_driver, args=sys.argv[2:], daemon=True).start()
    asyncio.run(work(*sys.argv[1:]))
