"""Certificates of channel networks: prime by prime, refused for one wrong pair or for rounding."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from primefourier import PAPER_BASIS, PrimeBasis, decode, encode
from primefourier.analysis import certify
from primefourier.nn import ChannelNetwork, PrimeFourierEmbedding, circular_loss

BASIS = PrimeBasis((3, 5, 7), depth=1)
CASES = 9 + 25 + 49
SMALL = PrimeBasis((2, 3), depth=2)


def add(x: Tensor) -> Tensor:
    return x.sum(1)


def trained(basis: PrimeBasis) -> ChannelNetwork:
    """Return a network that has learned to add, in a second."""
    torch.manual_seed(0)
    network = ChannelNetwork(basis, hidden=(32, 32))
    model = nn.Sequential(PrimeFourierEmbedding(basis), network)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 300)
    for _ in range(300):
        pairs = torch.randint(2**40, (128, 2))
        optimizer.zero_grad()
        circular_loss(model(pairs), pairs.sum(1), basis).backward()
        optimizer.step()
        schedule.step()
    return network


@pytest.fixture(scope="module")
def network() -> ChannelNetwork:
    return trained(BASIS)


def identity(basis: PrimeBasis, bias: float = 0.0) -> ChannelNetwork:
    """Return a network of one operand that gives its input back: x = relu(x) - relu(-x).

    With a bias, relu(x + bias) - bias, which has fewer digits the larger the bias is.
    """
    network = ChannelNetwork(basis, operands=1, hidden=(4 * basis.depth,))
    eye, none = torch.eye(2 * basis.depth), torch.zeros(2 * basis.depth, 2 * basis.depth)
    with torch.no_grad():
        network.weights[0].copy_(torch.cat([eye, none if bias else -eye]))
        network.weights[1].copy_(torch.cat([eye, none if bias else -eye], dim=1))
        network.biases[0].fill_(bias)
        network.biases[1].fill_(-bias)
    return network


def with_one_wrong_pair(network: ChannelNetwork, pair: tuple[int, int]) -> ChannelNetwork:
    """Return a copy with one more unit, which fires at one pair modulo the largest prime only."""
    basis = network.basis
    wrong = ChannelNetwork(basis, hidden=tuple(width + 1 for width in network.hidden))
    for old, new in zip(network.parameters(), wrong.parameters(), strict=True):
        new.data.zero_()
        new.data[tuple(slice(size) for size in old.shape)] = old.data
    here = torch.from_numpy(encode(pair, basis))[:, -1].flatten()
    far = torch.from_numpy(encode(sum(pair) + 3, basis))[-1].flatten()
    # ⟨codes, here⟩ is 2 at the pair, and at most 1 + cos(2π/35) at other angles of the basis
    with torch.no_grad():
        wrong.weights[0][-1] = here
        wrong.biases[0][-1] = -1.9995
        wrong.weights[1][-1, -1] = 1
        wrong.weights[2][:, -1] = 1e7 * far
    return wrong


@pytest.mark.parametrize("whole", [False, True])
def test_a_trained_network_is_proved_for_all_integers(network: ChannelNetwork, whole: bool) -> None:
    model = nn.Sequential(PrimeFourierEmbedding(BASIS), network) if whole else network
    found = certify(model, BASIS, add, batch_size=20)
    assert (found.modulus, found.cases, found.wrong) == (105, CASES, 0)
    assert found.proved
    assert 0.2 < found.margin < 1
    assert found.bound is not None
    assert 0 < found.bound < 1e-2
    assert found.explain().startswith(
        "Proved for all integers, on every device with IEEE float32 arithmetic: right on all 83 "
        "tuples of 2 residues modulo the largest period of each prime, and so modulo 105. "
    )
    assert f"rounding changes margins by at most {found.bound:.2g}." in found.explain()
    if whole:
        radii = [
            certify(network.for_basis(basis), basis, add).radius
            for basis in (PrimeBasis((p,), 1) for p in BASIS.primes)
        ]
        assert found.radius == pytest.approx(min(radii), rel=2e-3)  # type: ignore[type-var]


def test_what_is_proved_is_what_decode_gives(network: ChannelNetwork) -> None:
    """Integers of 30 digits, and every tuple by brute force: the same answers and margins."""
    a, b = 123456789012345678901234567890, -987654321098765432109876543210
    codes = torch.from_numpy(encode([[a, b]], BASIS)).flatten(2)
    assert decode(network(codes).detach(), BASIS, min_margin=0).value == (a + b) % 105
    margins = []
    for i, p in enumerate(BASIS.primes):
        pairs = torch.cartesian_prod(torch.arange(p), torch.arange(p))
        codes = torch.from_numpy(encode(pairs, BASIS)).flatten(2)
        rows = network(codes).detach()[:, 2 * i : 2 * i + 2]
        decoded = decode(rows, PrimeBasis((p,), 1), min_margin=0)
        assert decoded.value.tolist() == (pairs.sum(1) % p).tolist()
        margins.append(decoded.margin.min())
    assert certify(network, BASIS, add).margin == pytest.approx(min(margins), abs=1e-5)


def test_one_wrong_pair_of_one_prime_is_found(network: ChannelNetwork) -> None:
    wrong = with_one_wrong_pair(network, (4, 5))
    found = certify(wrong, BASIS, add)
    assert (found.proved, found.wrong, found.period) == (False, 1, 7)
    assert (found.counterexample, found.expected, found.answer) == ((4, 5), 2, 5)
    assert found.margin < 0
    words = "For (4, 5) the answer is 5, not 2 modulo 7, in a batch of 49 in float32."
    assert "wrong on 1 of 83 tuples" in found.explain()
    assert words in found.explain()
    assert certify(wrong, BASIS, add, batch_size=7).counterexample == (4, 5)


def test_a_network_that_is_right_only_by_rounding_is_checked() -> None:
    whole = certify(identity(BASIS, bias=2.0), BASIS, lambda x: x[:, 0], operands=1)
    assert (whole.proved, whole.cases) == (True, 15)
    found = certify(identity(BASIS, bias=2e6), BASIS, lambda x: x[:, 0], operands=1)
    assert (found.status, found.wrong) == ("checked", 0)
    assert str(found.reason).startswith("rounding may change margins by up to")
    assert found.explain().startswith("Checked: right on all 15 tuples of 1 residues")


def test_weights_that_cancel_in_one_order_of_summation_are_not_proved() -> None:
    """The network of five: a lookup of 25 pairs, and two units of weight ±2^30 for (4, 4)."""
    five = PrimeBasis((5,), depth=1)
    codes = torch.from_numpy(encode(range(5), five, flat=True)).float()
    pairs = torch.cartesian_prod(torch.arange(5), torch.arange(5))
    for first, second in ((81, 125), (0, 127)):
        network = ChannelNetwork(five, hidden=(128,))
        for parameter in network.parameters():
            parameter.data.zero_()
        rest = [k for k in range(128) if k not in (first, second)]
        into, out = (weight.data for weight in network.weights)
        network.biases[0].data.fill_(-1.5)
        network.biases[1].data.copy_(0.05 * codes[0])
        for k, (a, b) in zip(rest, pairs.tolist(), strict=False):
            into[k], out[:, k] = torch.cat([codes[a], codes[b]]), 2 * codes[(a + b) % 5]
        for k, sign in ((first, 1), (second, -1)):
            into[k], out[:, k] = torch.cat([codes[4], codes[4]]), sign * 2.0**30 * codes[3]
        assert not certify(network, five, add).proved


def test_depth_3_is_proved() -> None:
    basis = PrimeBasis((2, 3, 5), 3)
    network = identity(basis)
    found = certify(network, basis, lambda x: x[:, 0], operands=1)
    assert (found.proved, found.cases) == (True, 8 + 27 + 125)
    assert found.margin > 0.99
    wrong = certify(network, basis, lambda x: x[:, 0] + 25, operands=1)
    assert (wrong.proved, wrong.wrong) == (False, wrong.cases)
    assert wrong.period is not None


def test_networks_of_depth_2_and_with_weights_of_their_own_are_proved(
    network: ChannelNetwork,
) -> None:
    found = certify(trained(SMALL), SMALL, add)
    assert (found.proved, found.cases, found.modulus) == (True, 4**2 + 9**2, 36)
    own = ChannelNetwork(BASIS, hidden=network.hidden, shared=False)
    for old, new in zip(network.parameters(), own.parameters(), strict=True):
        new.data.copy_(old.data.expand_as(new))
    assert certify(own, BASIS, add).proved
    double = certify(copy.deepcopy(own).double(), BASIS, add)
    assert (double.status, double.dtype) == ("proved", "float64")
    assert double.bound is not None
    assert double.bound < 1e-9
    half = certify(own.to(torch.bfloat16), BASIS, add)
    assert half.status in ("checked", "refuted")


def test_an_untrained_network_and_a_dead_one_are_wrong() -> None:
    torch.manual_seed(0)
    assert certify(ChannelNetwork(BASIS), BASIS, add).wrong > 20
    dead = ChannelNetwork(BASIS)
    for parameter in dead.parameters():
        parameter.data.zero_()
    assert certify(dead, BASIS, add).wrong == CASES, "no angle is no answer"
    with torch.no_grad():
        dead.biases[-1].fill_(torch.nan)
    with pytest.raises(ValueError, match="codes must be finite"):
        certify(dead, BASIS, add)


class Mixing(ChannelNetwork):
    """A subclass that mixes primes."""

    def forward(self, codes: Tensor) -> Tensor:
        return super().forward(codes).roll(2, -1)


def hooked(where: Callable[[nn.Sequential], nn.Module], kind: str) -> nn.Sequential:
    model = nn.Sequential(PrimeFourierEmbedding(BASIS), ChannelNetwork(BASIS))
    getattr(where(model), kind)(lambda *arguments: None)
    return model


def replaced(name: str) -> ChannelNetwork:
    model = ChannelNetwork(BASIS)
    setattr(model, name, lambda codes: codes.sum(-2))
    return model


def parametrized() -> ChannelNetwork:
    model = ChannelNetwork(BASIS)
    nn.utils.parametrize.register_parametrization(model.weights, "0", nn.Identity())
    return model


@pytest.mark.parametrize(
    "model",
    [
        Mixing(BASIS),
        *map(replaced, ["forward", "_call_impl", "_slow_forward", "_compiled_call_impl"]),
        parametrized(),
        hooked(lambda model: model, "register_forward_hook"),
        hooked(lambda model: model[0], "register_forward_hook"),
        hooked(lambda model: model[1], "register_forward_pre_hook"),
        nn.Sequential(PrimeFourierEmbedding(BASIS), nn.Linear(6, 6), ChannelNetwork(BASIS)),
        nn.Sequential(nn.Identity(), ChannelNetwork(BASIS)),
    ],
)
def test_what_only_resembles_a_channel_network_is_refused(model: nn.Module) -> None:
    with pytest.raises(ValueError, match="must be a ChannelNetwork itself"):
        certify(model, BASIS, add)


def test_a_channel_network_inside_another_module_is_said_to_be_the_reason() -> None:
    with pytest.raises(ValueError, match="so certify the ChannelNetwork itself"):
        certify(nn.ModuleList([ChannelNetwork(PAPER_BASIS)]), PAPER_BASIS, add)
    with pytest.raises(TypeError, match="model must be a torch module, got a function"):
        certify(add, PAPER_BASIS, add)  # type: ignore[arg-type]


TABLE = PrimeFourierEmbedding(BASIS, num_embeddings=15)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"label": lambda x: x.sum(1) % 15}, "label modulo 7 must depend only on the operands"),
        ({"label": lambda x: x.sum(1) // 2}, "label modulo 3 must depend only on the operands"),
        ({"label": lambda x: x.sum(1) / 1}, "label must return one integer for each"),
        ({"basis": SMALL}, r"basis must be that of the ChannelNetwork, PrimeBasis\(primes=\(3, 5"),
        ({"operands": 3}, "the network has 2 operands, got operands=3"),
        ({"most_cases": 82}, r"at most 82 cases, got 83, the sum of p\^\(D · operands\)"),
        ({"model": nn.Sequential(TABLE, ChannelNetwork(BASIS))}, "a table of 15 integers"),
        (
            {"model": nn.Sequential(PrimeFourierEmbedding(SMALL), ChannelNetwork(BASIS))},
            "basis must be that of the PrimeFourierEmbedding",
        ),
    ],
)
def test_what_cannot_be_proved_is_refused(options: dict[str, Any], words: str) -> None:
    right: dict[str, Any] = {"model": ChannelNetwork(BASIS), "basis": BASIS, "label": add}
    with pytest.raises(ValueError, match=words):
        certify(**(right | options))


def test_a_label_that_writes_into_its_input_changes_nothing(network: ChannelNetwork) -> None:
    def first(x: Tensor) -> Tensor:
        x[:, 1] = 0
        return x.sum(1)

    found = certify(network, BASIS, first)
    assert found.wrong > 60
    assert found.counterexample is not None
    assert found.counterexample[1] != 0, "as it was before the label wrote 0"


def test_a_hook_on_all_modules_that_mixes_primes_is_noticed(network: ChannelNetwork) -> None:
    def mix(module: nn.Module, inputs: Any, output: Any) -> Any:
        """Exchange primes where an operand is not the same small integer modulo 3 and 7."""
        if not isinstance(module, ChannelNetwork):
            return output
        small = decode(inputs[0], BASIS, min_margin=0).value < BASIS.primes[-1]
        alone = torch.from_numpy(small).all(-1, keepdim=True)
        return torch.where(alone, output, output.roll(2, -1))

    with nn.modules.module.register_module_forward_hook(mix):
        assert certify(network, BASIS, add).status == "refuted"


def test_a_product_of_three_operands_is_no_overflow() -> None:
    network = ChannelNetwork(SMALL, operands=3, hidden=(4,))
    assert certify(network, SMALL, lambda x: x.prod(1), operands=3).wrong > 0
