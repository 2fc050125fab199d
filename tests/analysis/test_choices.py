import pytest

from primefourier.analysis.choices import require_choice

KINDS = ("zero", "mean", "permute")


@pytest.mark.parametrize("kind", KINDS)
def test_every_choice_is_welcome(kind: str) -> None:
    require_choice(kind, KINDS, "kind")


@pytest.mark.parametrize(
    ("kind", "meant"), [("zeros", "zero"), ("permuted", "permute"), ("maen", "mean")]
)
def test_a_slip_is_told_what_was_meant(kind: str, meant: str) -> None:
    with pytest.raises(ValueError, match=rf"got '{kind}'; did you mean '{meant}'\?$"):
        require_choice(kind, KINDS, "kind")


@pytest.mark.parametrize("kind", ["noise", 3, None, ["zero"]])
def test_what_is_near_no_choice_is_told_all_of_them(kind: object) -> None:
    with pytest.raises(ValueError, match=r"^kind must be 'zero', 'mean' or 'permute', got"):
        require_choice(kind, KINDS, "kind")
