"""Study files whose author was careless, or means harm: one model of three in each of them."""

from dataclasses import dataclass, field

STUDY = """
import os, signal, subprocess, sys, threading, time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar
import numpy as np
import torch
from primefourier import lab
#import
ON_A_WORKER = "primefourier.lab.worker" in sys.orig_argv

@lab.register
@dataclass(frozen=True)
class Rows:
    name: ClassVar[str] = "rows-of-mine"
    version: ClassVar[int] = 1
    evil: str = ""
    def row_names(self):
        #row_names
        return ("even", "third")
    def relevant(self, task):
        #relevant
        return None
    def rows(self, integers):
        #rows
        return torch.tensor([[[a % 2], [a % 3]] for a in map(int, integers)]).float()
    def describe(self):
        #describe
        return f"mine {self.evil}"

@lab.register
@dataclass(frozen=True)
class Sums:
    name: ClassVar[str] = "sums-of-mine"
    version: ClassVar[int] = 1
    evil: str = ""
    operands: ClassVar[int] = 2
    classes: ClassVar[int] = 3
    @property
    def _task(self):
        return lab.ModularArithmetic(modulus=3, input_range=20)
    def sizes(self):
        #sizes
        return self._task.sizes()
    def beyond_sizes(self):
        return {}
    def draw(self, seed):
        found = self._task.draw(seed)
        #draw
        return found

@lab.register
@dataclass(frozen=True)
class Net:
    name: ClassVar[str] = "net-of-mine"
    version: ClassVar[int] = 1
    evil: str = ""
    def build(self, shape, classes):
        network = lab.Linear().build(shape, classes)
        #build
        return network

def model(evil, seed):
    return lab.ModelConfig(
        embedding=Rows(evil), task=Sums(evil), network=Net(evil), seed=seed,
        training=lab.Training(epochs=1),
    )

study = lab.Study("hostile", [model("", 1), *MODELS, model("", 2)])
"""


@dataclass(frozen=True)
class Case:
    """A study file in which one thing is done by the model with the name of the case.

    Args:
        place: Where: while the file is imported, or in a method of one of its parts.
        code: What, in one line.
        says: What the error of its model says, or the command, if there is no study; nothing if
            it does no harm.
        beside: Files beside the study.
    """

    place: str
    code: str
    says: str = ""
    beside: dict[str, str] = field(default_factory=dict)


LOST = r"its worker ended 3 times \("
EXIT = "SystemExit: 3"
_RAISE = "raise KeyError('ouch')"
REPRESENTATIVE: dict[str, Case] = {
    "raises": Case("rows", _RAISE, "KeyError: 'ouch'"),
    "exits": Case("draw", "sys.exit(3)", EXIT),
    "ends": Case("draw", "os._exit(0)", LOST + "exit code 0"),
    "recurses": Case("rows", "return self.rows(integers)", "RecursionError"),
    "shape": Case("rows", "return torch.zeros(7, 7, 7)", "must return shape"),
    "nan": Case("rows", "return torch.full((len(integers), 2, 1), torch.nan)", "finite features"),
    "labels": Case("draw", "found.train.labels[0] = 3", "must be 0 to classes - 1 = 2, got 0 to 3"),
    "describe": Case("describe", _RAISE, "KeyError: 'ouch'"),
    "names": Case("row_names", "sys.exit(3)", EXIT),
    "utf8": Case("row_names", r"return ('even', '\udcff')", "text that UTF-8 can hold"),
    "prints": Case("rows", "print('x' * 10**5); sys.stdout.flush()"),
    "stdout": Case("rows", "os.write(1, b'{\"error\": null}\\n' * 9)"),
    "reads": Case("rows", "input()", "EOFError"),
    "thread": Case("draw", "threading.Thread(target=time.sleep, args=(1000,)).start()"),
    "folder": Case("rows", "os.chdir('/')"),
}
"""Models of one sweep, in ``make test``."""
_CHILD = "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1000)'])"
_FORK = "os.fork() or time.sleep(1000)"
_LOGITS = "return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(4, 7))"
_ODD = "raise type('Odd', (BaseException,), {'__str__': lambda self: 1 / 0})()"
_OTHER = """
@lab.register
@dataclass(frozen=True)
class Other(lab.LearnedTable):
    name: ClassVar[str] = "rows-of-mine"
"""
METHODS: dict[str, Case] = {
    "kills": Case("build", "os.kill(os.getpid(), 9)", LOST + "killed by signal 9"),
    "base": Case("rows", "raise BaseException('all')", "BaseException: all"),
    "interrupt": Case("rows", "raise KeyboardInterrupt", "KeyboardInterrupt"),
    "generator": Case("rows", "raise GeneratorExit", "GeneratorExit"),
    "stop": Case("draw", "next(iter(()))", "StopIteration"),
    "unspeakable": Case("rows", _ODD, "Odd"),
    "surrogate": Case("rows", r"raise ValueError('\udcff')", r"ValueError: "),
    "long": Case("rows", "raise ValueError('x' * 10**7)", "xxxx"),
    "none": Case("rows", "return None", "must return a tensor of floats"),
    "whole": Case("rows", "return torch.ones(len(integers), 2, 1).long()", "tensor of floats"),
    "memory": Case("rows", "np.zeros(10**15)", "MemoryError"),
    "term": Case("rows", "os.kill(os.getpid(), signal.SIGTERM)"),
    "int": Case("rows", "os.kill(os.getpid(), signal.SIGINT)"),
    "alarm": Case("rows", "signal.alarm(1); time.sleep(5)", LOST + "killed by signal 14"),
    "fds": Case("rows", "os.closerange(3, 256)", "Bad file|" + LOST),
    "child": Case("rows", _CHILD),
    "fork": Case("rows", f"{_FORK}; os._exit(1)", LOST),
    "modules": Case("rows", "sys.modules.clear()", "Error"),
    "path": Case("rows", "sys.path.clear()", "ModuleNotFoundError"),
    "environment": Case("rows", "os.environ.clear()"),
    "limit": Case("rows", "sys.setrecursionlimit(60)", "Recursion"),
    "threads": Case("rows", "torch.set_num_threads(7)"),
    "deletes": Case("rows", "Path(__file__).unlink(missing_ok=True)"),
    "edits": Case("rows", "Path(__file__).write_text('no = study')"),
    "negative": Case("draw", "found.test.labels[0] = -1", "got -1 to 2"),
    "float": Case("draw", "object.__setattr__(found.train, 'labels', 'abc')", "AttributeError"),
    "empty": Case("draw", "object.__setattr__(found.test, 'labels', np.zeros(0, int))", "got none"),
    "half": Case("sizes", "return (3, 4)", "must count the answers that its model has"),
    "sizes": Case("sizes", _RAISE, "KeyError: 'ouch'"),
    "sizes exit": Case("sizes", "sys.exit(3)", EXIT),
    "twice": Case("row_names", "return ('even', 'even')", "must return different names"),
    "nameless": Case("row_names", "return None", "TypeError"),
    "random": Case("row_names", "return (str(time.monotonic_ns()), 'b')", "answers that its model"),
    "needs": Case("relevant", "return ('odd',)", "relevant must return names of rows"),
    "relevant": Case("relevant", "sys.exit(3)", EXIT),
    "describe exit": Case("describe", "sys.exit(3)", EXIT),
    "describe utf8": Case("describe", r"return '\udcff'", "text that UTF-8 can hold"),
    "describe none": Case("describe", "return None"),
    "build": Case("build", "return None", "must return an nn.Module"),
    "logits": Case("build", _LOGITS, "must return logits of shape"),
    "no weights": Case("build", "return torch.nn.ReLU()", "Error"),
}
"""Further ones, behind the mark ``faults``."""
_WORKER = "if 'primefourier.lab.worker' in sys.orig_argv: "
FILES: dict[str, Case] = {
    "raise": Case("import", _RAISE, r"study.py, line \d+, cannot be run: KeyError: 'ouch'"),
    "exit": Case("import", "sys.exit(0)", r"study.py, line \d+, cannot be run: SystemExit: 0"),
    "exit text": Case("import", "sys.exit('bye')", "study.py, .* cannot be run: SystemExit: bye"),
    "recursion": Case("import", "f = lambda: f(); f()", "study.py, .* RecursionError"),
    "syntax": Case("import", "def", "study.py cannot be run: SyntaxError"),
    "missing": Case("import", "import nowhere", "study.py, .* ModuleNotFoundError"),
    "bytes": Case("import", "x = '\udcff'", "study.py cannot be run: SyntaxError"),
    "sweep": Case("import", "lab.run([], 'elsewhere')", "study.py starts a sweep when"),
    "worker raises": Case("import", _WORKER + _RAISE, "study.py, .* KeyError: 'ouch'"),
    "worker exits": Case("import", _WORKER + "sys.exit(3)", "study.py, .* SystemExit: 3"),
    "worker ends": Case("import", _WORKER + "os._exit(3)", LOST + "exit code 3"),
    "deletes itself": Case(
        "import", "Path(__file__).unlink()", "there is no file .*study.py any more"
    ),
    "edits itself": Case(
        "import",
        "file = Path(__file__); file.write_text(file.read_text() + '#')",
        "study.py is not the one that the sweep began with",
    ),
    "two names": Case("import", _OTHER, "study.py, .* the name 'rows-of-mine' is taken"),
    "built-in name": Case(
        "import",
        "lab.register(dataclass(frozen=True)(type('Linear', (lab.Linear,), {})))",
        "study.py, .* the name 'linear' is taken",
    ),
    "folder and output": Case("import", "os.chdir('/'); print('x' * 10**6)"),
    "torch": Case("import", "", "study.py, .* ZeroDivisionError", {"torch.py": "1 / 0"}),
    "helper": Case("import", "import json5", "", {"json5.py": "import os; os.chdir('/')"}),
    "daemon": Case(
        "import", "threading.Thread(target=time.sleep, args=(99,), daemon=True).start()"
    ),
}
"""What files do while they are imported."""


def write(cases: dict[str, Case]) -> str:
    """Return a study file with a model for each case, between two that do no harm."""
    text = STUDY
    for name, case in cases.items():
        line = f"#{case.place}"
        if case.place == "import":
            text = text.replace(line, f"{line}\n{case.code}", 1)
        else:
            text = text.replace(line, f"{line}\n        if self.evil == {name!r}: {case.code}", 1)
    evil = ", ".join(f"model({name!r}, 0)" for name in cases)
    return text.replace("*MODELS", evil)
