import pytest

from primefourier._checks import missing_extra, refuse_unknown, require_choice

KINDS = ("zero", "mean", "permute")


@pytest.mark.parametrize("kind", ["zeros", "noise", 3, None, ["zero"]])
def test_other_values_are_refused_with_all_choices_and_the_nearest(kind: object) -> None:
    require_choice("mean", KINDS, "kind")
    words = r"^kind must be 'zero', 'mean' or 'permute', got .*"
    with pytest.raises(ValueError, match=words) as caught:
        require_choice(kind, KINDS, "kind")
    assert str(caught.value).endswith("; did you mean 'zero'?") == (kind in ("zeros", ["zero"]))


@pytest.mark.parametrize(
    ("key", "advice"),
    [("size", "did you mean 'sizes'"), ("zzz", "known keys are 'ranges', 'sizes'")],
)
def test_unknown_keys_are_named_with_advice(key: str, advice: str) -> None:
    refuse_unknown({"sizes": 1, "ranges": 2}, ["ranges", "sizes"], "[exp1]")
    with pytest.raises(ValueError, match=f"unknown key '{key}' in \\[exp1\\]; {advice}"):
        refuse_unknown([key], ["ranges", "sizes"], "[exp1]")


def test_a_missing_package_is_named_with_the_command_that_installs_it() -> None:
    error = missing_extra("primefourier.nn", ImportError(name="torch"), "nn")
    assert str(error) == (
        "primefourier.nn needs torch, which is not installed; run pip install '.[nn]' in a clone"
    )
