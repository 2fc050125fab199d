from primefourier.bulk import BadRow


def test_a_bad_row_tells_place_value_and_reason() -> None:
    assert BadRow(2, 3, "x y", "is odd").describe() == "row 2 (line 3): 'x y' is odd"
    assert BadRow(2, None, None, "is null").describe() == "row 2: the value is null"


def test_long_values_are_cut() -> None:
    bad = BadRow(row=1, line=1, value="7" * 5000, reason="is long")
    assert bad.value == "7" * 1000 + "…"
    assert len(bad.describe()) < 100
    assert "…' is long" in bad.describe()
