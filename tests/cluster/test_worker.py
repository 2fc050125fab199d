import signal

from primefourier.cluster.worker import dask_setup


def test_a_worker_leaves_signals_to_the_driver() -> None:
    before = {name: signal.getsignal(name) for name in (signal.SIGINT, signal.SIGTERM)}
    try:
        dask_setup(None)
        assert all(signal.getsignal(name) == signal.SIG_IGN for name in before)
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
