"""Two processes train together what one trains alone, and decode the same integers."""

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch.distributed import destroy_process_group, init_process_group

from primefourier import PrimeBasis
from primefourier.nn import CRTHead

BASIS = PrimeBasis((2, 3, 7), 2)
PROGRAM = "import sys; from nn.test_distributed import join; join(int(sys.argv[1]), sys.argv[2])"


def join(rank: int, folder: str) -> list[Tensor]:
    """Do what one of two processes does; it gets every second example."""
    address, patience = f"file://{folder}/group", timedelta(seconds=120)
    init_process_group("gloo", address, patience, rank=rank, world_size=2)
    found = memorise(nn.parallel.DistributedDataParallel, slice(rank, None, 2))
    torch.save(found, f"{folder}/{rank}.pt")
    destroy_process_group()
    return found


class Loss(nn.Module):
    """A head whose forward is its loss."""

    def __init__(self, head: CRTHead) -> None:
        super().__init__()
        self.head = head

    def forward(self, features: Tensor, numbers: Tensor) -> Tensor:
        return self.head.loss(features, numbers)


def memorise(wrap: Callable[[nn.Module], nn.Module], some: slice) -> list[Tensor]:
    """Train a head on some of 20 integers; return what it decodes for all, and its parameters."""
    torch.manual_seed(0)
    head = CRTHead(64, BASIS)
    features, numbers = torch.randn(20, 64), torch.randint(2**62, (20,))
    model = wrap(Loss(head))
    optimizer = torch.optim.SGD(model.parameters(), lr=1)
    for _ in range(80):
        optimizer.zero_grad()
        model(features[some], numbers[some]).backward()
        optimizer.step()
    found = head.decode(features)
    assert torch.equal(found.value, numbers % BASIS.range)
    return [found.value, *(parameter.data for parameter in head.parameters())]


@pytest.mark.process
@pytest.mark.slow
def test_two_processes_train_the_head_that_one_trains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo")
    paths = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    words = [sys.executable, "-c", PROGRAM, "1", str(tmp_path)]
    other = subprocess.Popen(words, env={**os.environ, "PYTHONPATH": paths})
    try:
        first = join(0, str(tmp_path))
        assert other.wait(timeout=120) == 0
    finally:
        other.kill()
    alone = memorise(lambda model: model, slice(None))
    second = torch.load(tmp_path / "1.pt")
    for one, other_one, whole in zip(first, second, alone, strict=True):
        assert torch.equal(one, other_one), "the same parameters, and so the same integers"
        torch.testing.assert_close(one, whole)
