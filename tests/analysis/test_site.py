import pytest
import torch
from torch import Tensor, nn

from primefourier.analysis.site import FeatureSite, evaluating

BATCH = torch.randn(6, 4, generator=torch.Generator().manual_seed(0))


class Calls(nn.Module):
    """Call the same layer a number of times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.times = times

    def forward(self, x: Tensor) -> Tensor:
        for _ in range(self.times):
            x = self.layer(x)
        return x


def hooks(model: nn.Module) -> int:
    return sum(len(module._forward_hooks) for module in model.modules())


def test_the_input_of_the_model_is_changed() -> None:
    model = nn.Linear(4, 3)
    output = FeatureSite(model, None).run(BATCH, lambda x: 2 * x)
    assert torch.equal(output, model(2 * BATCH))


def test_the_output_of_a_submodule_is_changed_and_the_hook_is_gone_afterwards() -> None:
    first, last = nn.Linear(4, 5), nn.Linear(5, 3)
    model = nn.Sequential(first, last)
    output = FeatureSite(model, first).run(BATCH, lambda x: 2 * x)
    assert torch.equal(output, last(2 * first(BATCH)))
    assert hooks(model) == 0


def test_hooks_of_the_user_stay_and_run_first() -> None:
    first, last = nn.Linear(4, 5), nn.Linear(5, 3)
    model = nn.Sequential(first, last)
    handle = first.register_forward_hook(lambda module, arguments, output: output + 1)
    output = FeatureSite(model, first).run(BATCH, lambda x: 2 * x)
    assert hooks(model) == 1
    handle.remove()
    assert torch.equal(output, last(2 * (first(BATCH) + 1)))


@pytest.mark.parametrize(("times", "got"), [(0, "no call"), (2, "a second call")])
def test_a_submodule_must_be_called_exactly_once(times: int, got: str) -> None:
    model = Calls(times)
    with pytest.raises(ValueError, match=f"Linear must be called exactly once .* got {got}"):
        FeatureSite(model, model.layer).run(BATCH, lambda x: x)
    assert hooks(model) == 0


def test_hooks_are_gone_after_an_error() -> None:
    first = nn.Linear(4, 5)
    model = nn.Sequential(first, nn.Linear(6, 3))
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        FeatureSite(model, first).run(BATCH, lambda x: x)
    assert hooks(model) == 0


def test_a_submodule_must_be_the_model_s_own() -> None:
    with pytest.raises(ValueError, match="got a Linear that is not part of it"):
        FeatureSite(nn.Sequential(nn.Linear(4, 4)), nn.Linear(4, 4))
    with pytest.raises(TypeError, match="model must be a torch module, got a function"):
        FeatureSite(lambda x: x, None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("layer", "got"),
    [(nn.LSTM(4, 4), "a tuple"), (nn.Flatten(0), r"shape \(24,\)")],
)
def test_features_need_one_entry_for_each_input(layer: nn.Module, got: str) -> None:
    model = nn.Sequential(layer)
    with pytest.raises(ValueError, match=f"of the 6 inputs along its first axis, got {got}"):
        FeatureSite(model, layer).run(BATCH, lambda x: x)


@pytest.mark.parametrize(
    ("model", "got"),
    [(nn.LSTM(4, 4), "a tuple"), (nn.Flatten(0), r"shape \(24,\)"),
     (nn.Unflatten(1, (2, 2)), r"shape \(6, 2, 2\)"), (nn.Unflatten(0, (3, 2)), "shape")],
)  # fmt: skip
def test_logits_have_two_axes(model: nn.Module, got: str) -> None:
    with pytest.raises(
        ValueError, match=rf"logits of shape \(6, classes\) for 6 inputs, got {got}"
    ):
        FeatureSite(model, None).run(BATCH, lambda x: x)


def test_every_submodule_goes_back_into_its_own_mode() -> None:
    model = nn.Sequential(nn.Dropout(), nn.BatchNorm1d(4), nn.Linear(4, 4))
    model[1].eval()
    modes = [module.training for module in model.modules()]
    with evaluating(model):
        assert not any(module.training for module in model.modules())
    assert [module.training for module in model.modules()] == modes
    with pytest.raises(KeyError), evaluating(model):
        raise KeyError
    assert [module.training for module in model.modules()] == modes
