"""What a sweep submits to an executor: one function, from a task to a record, both as JSON texts.

Nothing of a user's is pickled; a worker finds the parts of a model by their files. A process that
runs this module is a worker of this machine, which answers the tasks on its standard input.
"""

from __future__ import annotations

import json
import os
import platform
import signal
import threading
import traceback
from queue import SimpleQueue
from typing import TextIO

from primefourier.lab.config import ModelConfig
from primefourier.lab.provenance import require_versions
from primefourier.lab.study_file import SourceError, load_parts, require_sources

_one_model = threading.Lock()


def train_task(task: str) -> str:
    """Train the model of a task, and return the result of :meth:`Record.as_data`.

    The result is ``error`` alone if the model cannot even be made, and ``refused`` if this process
    has other versions or files than the one that asks. Whatever a part does, nothing is raised.

    A worker may have several threads, but torch has one number of threads per process, which
    decides the order of sums. So one model is trained at a time.
    """
    asked = json.loads(task)
    with _one_model:
        try:
            require_versions(asked["versions"])
            require_sources(asked["sources"])
            from primefourier.lab.measurement import measure  # which loads torch
        except (SourceError, ValueError, ImportError, OSError) as error:
            who = f"worker {os.getpid()} on {platform.node()}"
            return json.dumps({"refused": f"{who} cannot train models: {error}"})
        try:
            with load_parts(asked["files"], asked["sources"]):
                config = ModelConfig.from_dict(asked["config"])
                record = measure(config, device=asked["device"])
            return json.dumps(record.as_data())
        except BaseException:  # sys.exit in a part, or Ctrl-C, which is for the driver
            return json.dumps({"error": traceback.format_exc()})


def main() -> None:
    """Answer the tasks of a driver until that ends, however it ends."""
    tasks, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    # what a part reads and writes is no task and no answer
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    if hasattr(os, "register_at_fork"):  # a child must not keep the pipe open after this process
        os.register_at_fork(after_in_child=lambda: os.close(answers.fileno()))
    for number in (signal.SIGINT, signal.SIGTERM):  # the driver decides what these mean
        signal.signal(number, signal.SIG_IGN)
    inbox: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_receive, args=(tasks, inbox), daemon=True).start()
    answer = "\n"  # an empty line says that this process waits for a task
    while True:
        answers.write(answer)
        answers.flush()
        answer = train_task(inbox.get()) + "\n\n"


def _receive(tasks: TextIO, inbox: SimpleQueue[str]) -> None:
    for task in tasks:
        inbox.put(task)
    # the driver has ended; so do this process, and those that parts have started
    if os.name == "posix" and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


if __name__ == "__main__":
    main()
