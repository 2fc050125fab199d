import pytest

from primefourier.cli.sweep_options import check_device, read_seeds, this_command


def test_seeds_are_42_or_a_list() -> None:
    assert read_seeds(None) == (42,)
    assert read_seeds("1,2") == (1, 2)
    with pytest.raises(ValueError, match="--seeds takes integers"):
        read_seeds("one")


def test_devices_are_tried_before_any_work() -> None:
    check_device("cpu")
    with pytest.raises(ValueError, match="--device 'cuda:99' cannot be used here"):
        check_device("cuda:99")


def test_the_command_is_quoted_as_a_shell_needs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["/some/where/pfe", "run", "exp1", "--out", "my results"])
    assert this_command() == "pfe run exp1 --out 'my results'"
