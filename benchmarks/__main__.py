"""Run benchmarks, all or some: python -m benchmarks [encoding] [training]."""

import sys

from benchmarks import encoding
from benchmarks.rounds import print_times
from benchmarks.training import time_trainers, worker_megabytes

_MILLI, _MICRO = (1e3, "ms"), (1e6, "µs")


def main() -> None:
    sections = {"encoding": compare_encoders, "training": compare_trainers}
    names = sys.argv[1:] or [*sections]
    if unknown := {*names} - {*sections}:
        sys.exit(f"benchmarks are {', '.join(sections)}, got {', '.join(sorted(unknown))}")
    for name in names:
        sections[name]()


def compare_encoders() -> None:
    """Compare ways to encode and decode, in bulk and one integer at a time."""
    paper, small, count = encoding.BASIS, encoding.SMALL, f"{encoding.COUNT:,}".replace(",", " ")
    for basis, title in ((paper, "the paper's basis"), (small, "primes 3 to 11, depth 4")):
        ways = encoding.encoders(basis, 1)
        print(f"\nLargest error of float32 codes, {title}: units in the last place, absolute")
        for name, (ulps, absolute) in encoding.largest_errors(ways, basis).items():
            print(f"  {name:<36}{ulps:<12.3g}{absolute:.1e}")
        for top, numbers in ((2**62, "62-bit integers"), (encoding.BELOW, "integers below 10 000")):
            times = encoding.time_encoders(ways, top, threads=1)
            print_times(f"Encode {count} {numbers}, {title}, one thread", times, _MILLI)
    times = encoding.time_encoders(encoding.encoders(paper, 2), 2**62, threads=2)
    print_times(f"Encode {count} 62-bit integers, the paper's basis, two threads", times, _MILLI)
    ways = encoding.tables(paper, encoding.BELOW)
    times = encoding.time_encoders(ways, encoding.BELOW, threads=1)
    print_times(f"Look up {count} integers below 10 000, the paper's basis", times, _MILLI)
    for basis, title in ((paper, "the paper's basis"), (small, "primes 3 to 11, depth 4")):
        for what, single in encoding.time_single(basis).items():
            print_times(f"{what}, {title}".capitalize(), single, _MICRO)
    print_times("Decode 10 000 integers of 126 digits", encoding.time_decoders(), _MILLI)


def compare_trainers() -> None:
    """Compare the trainers with a loop by hand."""
    for primes in (4, 8, 16):
        title = (
            f"Train 5 epochs of 64 000 pairs, test after each on 16 000, |P| = {primes}, one thread"
        )
        print_times(title, time_trainers(primes), (1, "s"))
    print(f"\nMemory of a worker at |P| = 16, r = 4000: {worker_megabytes():.0f} MiB")


if __name__ == "__main__":
    main()
