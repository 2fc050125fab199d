"""Run ``pfe`` in this process and catch what it prints."""

from collections.abc import Callable

import pytest

from primefourier.cli.app import run

Pfe = Callable[..., tuple[int, str, str]]


@pytest.fixture
def pfe(capsys: pytest.CaptureFixture[str]) -> Pfe:
    def call(*arguments: str) -> tuple[int, str, str]:
        code = run(arguments)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call
