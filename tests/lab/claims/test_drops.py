from primefourier.analysis import Interval
from primefourier.lab.claims.drops import judge_lower_at_100, write_drop


def test_drops_are_written_with_their_interval() -> None:
    assert write_drop(Interval(0.5, None, None, 1), 4) == "0.5000"
    assert write_drop(Interval(0.5, 0.4, 0.6, 3), 2) == "0.50 ± 0.10 (3 seeds)"


def test_lower_at_100_is_judged_only_where_both_are_known() -> None:
    values = {"a": {100: 0.1, 500: 0.2}, "b": {500: 0.2}, "c": {100: 0.3, 500: 0.2, 1000: 0.3}}
    found = judge_lower_at_100(values, ranges=2, asked=3, noun="sizes")
    assert [(e.configuration, e.agrees) for e in found.evidence] == [("a", True), ("c", False)]
    assert (found.verdict, found.complete) == ("holds in part", False)
    assert found.measured == "lower at r = 100 for 1 of 2 sizes"
