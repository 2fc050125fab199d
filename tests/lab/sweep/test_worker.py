import signal

from primefourier.lab.sweep.worker import dask_setup


def test_a_worker_leaves_ctrl_c_to_the_driver() -> None:
    before = signal.getsignal(signal.SIGINT)
    try:
        dask_setup(None)
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
