import pytest
from hypothesis import given, settings

from primefourier import PAPER_BASIS, PrimeBasis
from primefourier.theory import Check, check_theorem, rotation
from primefourier.theory import theorem as module
from primefourier.theory.theorem import Relation
from strategies import BASES


@pytest.mark.parametrize(
    "basis",
    [PAPER_BASIS, PrimeBasis((2,), 1), PrimeBasis((3,), 1), PrimeBasis((2, 3, 59), 12)],
    ids=lambda basis: f"{len(basis.primes)}x{basis.depth}",
)
def test_the_theorem_holds_on_every_basis(basis: PrimeBasis) -> None:
    checks = check_theorem(basis)
    assert [check.statement for check in checks if not check.holds] == []
    assert {check.kind for check in checks} == {"exact", "numerical"}


@settings(max_examples=40)
@given(BASES)
def test_the_theorem_holds_on_random_bases(basis: PrimeBasis) -> None:
    assert [check for check in check_theorem(basis) if not check.holds] == []


def test_a_check_compares_as_it_says() -> None:
    def holds(relation: Relation | None) -> list[bool]:
        return [Check("", "exact", value, relation, 2).holds for value in (1, 2, 3)]

    assert holds("=") == [False, True, False]
    assert holds("≤") == [True, True, False]
    assert holds("≥") == [False, True, True]
    assert holds(None) == [True, True, True]
    assert not Check("", "numerical", float("nan"), "≤", 1).holds


def test_the_ill_conditioned_generator_is_named() -> None:
    notes = [check.note for check in check_theorem(PAPER_BASIS) if check.relation is None]
    assert len(notes) == 1
    assert "1.5e-10 rad only: ill-conditioned" in notes[0]


def test_a_wrong_projection_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "project_to_equivariant", lambda W, basis: W * 0.5)
    failed = [check for check in check_theorem(PrimeBasis((3, 5), 1)) if not check.holds]
    assert len(failed) == 4


def test_a_wrong_rotation_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "rotation", lambda b, basis: rotation(b, basis).T)
    failed = {check.statement for check in check_theorem(PrimeBasis((3, 5), 1)) if not check.holds}
    assert "|R(b)·PFE(a) - PFE(a + b)|" in failed
