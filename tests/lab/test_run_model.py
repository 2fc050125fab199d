import torch

from primefourier.lab.run_model import measure, run_model
from small_models import small_config


def test_the_final_accuracy_is_that_of_the_last_epoch() -> None:
    for trainer in ("fast", "plain"):
        measured = measure(small_config(trainer=trainer, epochs=5))
        assert measured.correct == measured.correct_by_epoch[-1]
        assert (measured.train_size, measured.test_size) == (720, 180)
        assert len(measured.lost) == len(measured.gained) == 3


def test_a_trained_network_needs_the_row_of_its_prime() -> None:
    measured = measure(small_config(modulus=3, epochs=40, primes=(3, 5), input_range=60))
    assert measured.accuracy > 0.95
    assert measured.drops[0] > 0.4 > abs(measured.drops[1])


def test_threads_do_not_change_the_bits_and_are_left_as_they_were() -> None:
    config = small_config(primes=(3, 5, 7, 11), depth=6, batch_size=1024, input_range=100)
    before = torch.get_num_threads()
    found = []
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            found.append(measure(config))
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    assert found[0] == found[1]


def test_a_failure_becomes_a_record_with_its_traceback() -> None:
    record = run_model(small_config(), device="no such device")
    assert record.measurement is None
    assert record.error is not None
    assert "Traceback" in record.error
    assert "no such device" in record.error
