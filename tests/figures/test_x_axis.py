import pytest

from primefourier.figures.x_axis import Scale, XAxis, x_axis


@pytest.mark.parametrize("scale", ["linear", "log"])
@pytest.mark.parametrize("xs", [(1, 2, 3), (7,), (0.25, 100), range(1, 42), (1e-9, 2e9)])
def test_every_value_is_within_and_places_lead_back_to_values(
    scale: Scale, xs: tuple[float, ...]
) -> None:
    axis = x_axis(xs, scale)
    for x in xs:
        assert 0 < axis.place(x) < 1
        assert axis.value(axis.place(x)) == pytest.approx(x, rel=1e-9, abs=1e-6)
    assert (axis.value(0), axis.value(1)) == pytest.approx((axis.low, axis.high))


def test_half_way_means_what_it_looks_like() -> None:
    for scale, middle in (("linear", 50.5), ("log", 10.0)):
        axis = x_axis((1, 100), scale)  # type: ignore[arg-type]
        assert axis.value((axis.place(1) + axis.place(100)) / 2) == pytest.approx(middle)


@pytest.mark.parametrize(
    ("xs", "ticks"),
    [
        ((5, 0, 3), (0, 3, 5)),
        (range(8), tuple(range(8))),
        (range(9), (0, 2, 4, 6, 8)),
        (range(41), (0, 10, 20, 30, 40)),
        ((0, 0.5, 1), (0, 0.2, 0.4, 0.6, 0.8, 1)),
        ((3,), (3,)),
    ],
)
def test_ticks_on_a_linear_scale_are_round(xs: tuple[float, ...], ticks: tuple[float]) -> None:
    assert x_axis(xs, "linear").ticks == pytest.approx(ticks)


def test_integers_have_no_ticks_between_them() -> None:
    for last in range(8, 200):
        assert all(x.is_integer() for x in x_axis(range(last + 1), "linear").ticks)


def test_ticks_on_a_log_scale_stand_at_the_values() -> None:
    assert x_axis((0.5, 100, 101), "log").ticks == (0.5, 100, 101)


def test_labels_without_room_are_left_out() -> None:
    axis = XAxis("linear", -1, 11, (0, 0.125, 1, 10))
    assert axis.labels(3) == ["0", "", "1", "10"]
    assert axis.labels(0.5) == ["0", "", "", "10"]
    assert XAxis("linear", -2000001, 1, (-2000000.0,)).labels(3) == ["−2000000"]


def test_wrong_values_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one x, got none"):
        x_axis((), "linear")
    with pytest.raises(ValueError, match="above 0, got -2"):
        x_axis((3, -2), "log")
    with pytest.raises(ValueError, match='must be "linear" or "log"'):
        x_axis((1,), "sqrt")  # type: ignore[arg-type]
