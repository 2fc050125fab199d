import pytest

from primefourier.encoding import PAPER_BASIS
from primefourier.lab.experiments import SinglePrime


def test_the_paper_has_350_models_of_the_protocol() -> None:
    configs = SinglePrime().configs()
    assert len({config.key for config in configs}) == 350
    assert {len(config.primes) for config in configs} == {4, 6, 8, 10, 12, 14, 16}
    assert {config.input_range for config in configs} == {100, 500, 1000, 2000, 4000}
    for config in configs:
        assert config.experiment == "exp1"
        assert config.primes == PAPER_BASIS.primes[: len(config.primes)]
        assert config.modulus in config.primes
        assert (config.depth, config.epochs, config.batch_size) == (6, 25, 1024)
        assert (config.learning_rate, config.pairs, config.seed) == (3e-3, 80_000, 42)
        assert (config.operation, config.embedding, config.trainer) == ("add", "pfe", "fast")


def test_every_task_prime_of_every_seed_has_a_model() -> None:
    configs = SinglePrime(sizes=(2,), ranges=(10,), primes=(5, 7, 11), seeds=(1, 2)).configs()
    assert [(c.seed, c.modulus) for c in configs] == [(1, 5), (1, 7), (2, 5), (2, 7)]


def test_more_rows_than_primes_are_refused() -> None:
    with pytest.raises(ValueError, match="at most the number of primes, 3, got 4"):
        SinglePrime(sizes=(4,), primes=(3, 5, 7))
    with pytest.raises(ValueError, match="sizes must be an integer of at least 1, got 0"):
        SinglePrime(sizes=(0,))


def test_other_primes_all_have_a_row_unless_sizes_are_given() -> None:
    assert SinglePrime(primes=(3, 5, 7), ranges=(10,)).sizes == (3,)
    assert SinglePrime(primes=(3, 5, 7), ranges=(10,), sizes=(2,)).sizes == (2,)
