import pytest

from primefourier.lab.keys import refuse_unknown


def test_known_keys_pass() -> None:
    refuse_unknown({"sizes": 1, "ranges": 2}, ["ranges", "sizes"], "[exp1]")


@pytest.mark.parametrize(
    ("key", "advice"), [("size", "did you mean 'sizes'"), ("zzz", "known are 'ranges', 'sizes'")]
)
def test_unknown_keys_are_named_with_advice(key: str, advice: str) -> None:
    with pytest.raises(ValueError, match=f"unknown key '{key}' in \\[exp1\\]; {advice}"):
        refuse_unknown([key], ["ranges", "sizes"], "[exp1]")
