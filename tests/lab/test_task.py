import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from primefourier.lab.task import check_overlap, make_labels, make_task
from small_models import small_config


@given(r=st.integers(2, 60), pairs=st.integers(2, 5000), seed=st.integers(0, 2**63 - 1))
def test_pairs_are_distinct_in_range_and_split_four_to_one(r: int, pairs: int, seed: int) -> None:
    task = make_task(small_config(input_range=r, pairs=pairs, seed=seed))
    both = np.concatenate([task.train_pairs, task.test_pairs])
    count = min(pairs, r * r)
    assert len(both) == count == len({(int(a), int(b)) for a, b in both})
    assert len(task.train_pairs) == count * 4 // 5
    assert both.min() >= 0
    assert both.max() < r


@pytest.mark.parametrize(("r", "sizes"), [(100, (8000, 2000)), (500, (64_000, 16_000))])
def test_sizes_are_those_of_the_paper(r: int, sizes: tuple[int, int]) -> None:
    task = make_task(small_config(input_range=r))
    assert (len(task.train_pairs), len(task.test_pairs)) == sizes


@pytest.mark.parametrize("operation", ["add", "subtract", "multiply"])
@pytest.mark.parametrize("modulus", [2, 5, 77, 10**6])
def test_labels_are_python_arithmetic(operation: str, modulus: int) -> None:
    config = small_config(operation=operation, modulus=modulus, input_range=2**31)
    task = make_task(config)
    rules = {
        "add": lambda a, b: a + b,
        "subtract": lambda a, b: a - b,
        "multiply": lambda a, b: a * b,
    }
    expected = [rules[operation](int(a), int(b)) % modulus for a, b in task.test_pairs]
    assert task.test_labels.tolist() == expected
    assert make_labels(task.train_pairs, config).tolist() == task.train_labels.tolist()


def test_the_models_of_a_configuration_see_the_same_pairs() -> None:
    three, five = (make_task(small_config(modulus=n)) for n in (3, 5))
    assert np.array_equal(three.train_pairs, five.train_pairs)
    other = make_task(small_config(seed=43))
    assert not np.array_equal(three.train_pairs, other.train_pairs)


def test_the_whole_square_is_drawn_evenly_where_it_is_small() -> None:
    task = make_task(small_config(input_range=9))
    both = np.concatenate([task.train_pairs, task.test_pairs])
    assert sorted(map(tuple, both.tolist())) == [(a, b) for a in range(9) for b in range(9)]


def test_overlap_is_noticed() -> None:
    with pytest.raises(RuntimeError, match=r"distinct.*1 repeated"):
        check_overlap(np.array([1, 2, 3]), np.array([3, 4]), small_config())
