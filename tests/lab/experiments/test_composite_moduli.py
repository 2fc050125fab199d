from primefourier.lab.experiments import CompositeModuli


def test_the_paper_has_50_models_of_the_protocol() -> None:
    configs = CompositeModuli().configs()
    assert len({config.key for config in configs}) == 50
    assert {config.primes for config in configs} == {(3, 5, 7, 11, 13, 17, 19, 23)}
    assert {config.epochs for config in configs} == {40}
    assert {config.modulus for config in configs} == {15, 21, 33, 35, 55, 77, 105, 165, 231, 385}


def test_two_of_them_are_degenerate() -> None:
    found = [(c.modulus, c.input_range) for c in CompositeModuli().configs() if c.degenerate]
    assert found == [(231, 100), (385, 100)]
