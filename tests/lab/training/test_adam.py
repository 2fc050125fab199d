import torch

from primefourier.lab.training.adam import Adam


def test_it_steps_as_torch_s_adam_does() -> None:
    generator = torch.Generator().manual_seed(0)
    start = torch.randn(50, generator=generator, dtype=torch.float64)
    weights, grad = start.clone(), torch.empty(50, dtype=torch.float64)
    parameter = torch.nn.Parameter(start.clone())
    ours = Adam(weights, grad, learning_rate=3e-3)
    theirs = torch.optim.Adam([parameter], lr=3e-3)
    for step in range(200):
        drawn = torch.randn(50, generator=generator, dtype=torch.float64) * 10.0 ** -(step % 9)
        grad.copy_(drawn)
        parameter.grad = drawn.clone()
        ours.step()
        theirs.step()
    assert torch.allclose(weights, parameter.detach(), rtol=1e-12, atol=1e-14)
    assert not torch.allclose(weights, start, atol=1e-2)
