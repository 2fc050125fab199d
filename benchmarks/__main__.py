"""Run every benchmark and print ratios within this run: python -m benchmarks [--json]."""

import json
import sys

from benchmarks.encoding import (
    BASIS,
    decode_10000,
    encode_62_bits,
    look_up_below_4000,
    temporary_megabytes,
)
from benchmarks.files import encode_files
from benchmarks.page import open_report
from benchmarks.training import demonstrations, readable_loop, worker_megabytes
from primefourier.cli.app import run


def main() -> None:
    encoding()
    files()
    page()
    training()


def training() -> None:
    """Compare the trainers on one whole configuration of the paper."""
    run(["bench", "--epochs", "25", *sys.argv[1:]])
    title = "Training examples per second, one epoch with test and ablation, one thread"
    show(title, readable_loop())
    show("Seconds of the demonstrations, each in a process", demonstrations())
    print(f"memory of a worker at |P| = 16, r = 4000, MiB: {worker_megabytes():.0f}")


def page() -> None:
    """Open the report of a whole paper run in Chromium."""
    show("Report page of 750 models in headless Chromium", open_report())


def files() -> None:
    """Compare encoding a Parquet file in a stream and in memory."""
    show("Parquet to Parquet, random 62-bit integers, paper's basis, float32", encode_files())


def show(title: str, result: dict[str, float]) -> None:
    """Print what was measured."""
    if "--json" in sys.argv:
        print(json.dumps(result, indent=2))
        return
    print(title)
    for name, value in result.items():
        print(f"  {name:<62}{value:8.2f}")


def encoding() -> None:
    """Compare ways to encode."""
    count = 200_000
    encode = encode_62_bits(count)
    look_up = look_up_below_4000(count)
    decode = decode_10000()
    features = count * BASIS.dim
    result = {
        "nanoseconds per feature": {name: s / features * 1e9 for name, s in encode.items()},
        "encode: times as fast as the straightforward way": encode["straightforward"]
        / encode["encode"],
        "encode, one thread: times as fast": encode["straightforward"]
        / encode["encode_one_thread"],
        "encode to float64: times as fast": encode["straightforward"] / encode["encode_float64"],
        "torch module: times as fast": encode["straightforward"] / encode["module"],
        "encode: times as long as filling the array": encode["encode"] / encode["fill"],
        "table below 4000: times as long as index_select": look_up["table"]
        / look_up["index_select"],
        "temporary memory beyond the output, MB": temporary_megabytes(count),
        "decode 10 000 integers of 126 digits: times as long as encoding": decode["decode"]
        / decode["encode"],
    }
    if "--json" in sys.argv:
        print(json.dumps(result, indent=2))
        return
    print(
        f"{count} random 62-bit integers, paper's basis, float32, 2 threads; best of several rounds"
    )
    for name, value in result.items():
        if isinstance(value, dict):
            for way, nanoseconds in value.items():
                print(f"  {way:<62}{nanoseconds:8.2f} ns a feature")
        else:
            print(f"  {name:<62}{value:8.2f}")


if __name__ == "__main__":
    main()
