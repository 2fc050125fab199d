"""Encode whole Parquet files against encoding in memory: time and peak memory.

Each measurement is a process of its own, so that its peak of memory is its own.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import primefourier as pf

_SIZES = (1_000_000, 2_000_000)
_MILLION = _SIZES[0]


def encode_files(rounds: int = 3) -> dict[str, float]:
    """Return ratios of the best times, and the highest peaks of memory, of alternating rounds."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        for rows in _SIZES:
            _write_numbers(folder / f"{rows}.parquet", rows)
        ways = [("in_memory", _MILLION), *(("streamed", rows) for rows in _SIZES)]
        found: dict[tuple[str, int], list[tuple[float, float]]] = {way: [] for way in ways}
        for _ in range(rounds):
            for way in ways:
                found[way].append(_measure(*way, folder))
    seconds = {way: min(pair[0] for pair in pairs) for way, pairs in found.items()}
    peaks = {way: max(pair[1] for pair in pairs) for way, pairs in found.items()}
    first, second = (("streamed", rows) for rows in _SIZES)
    return {
        "1 000 000 rows, seconds": seconds[first],
        "times as long as encoding in memory and writing the same file": seconds[first]
        / seconds["in_memory", _MILLION],
        "2 000 000 rows: times as long as 1 000 000": seconds[second] / seconds[first],
        "peak above the bare import, 1 000 000 rows, MiB": peaks[first],
        "peak above the bare import, 2 000 000 rows, MiB": peaks[second],
        "peak above the bare import, all in memory, MiB": peaks["in_memory", _MILLION],
    }


def _write_numbers(path: Path, rows: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    numbers = np.random.default_rng(0).integers(0, 2**62, rows)
    pq.write_table(pa.table({"n": numbers}), path)


def _measure(way: str, rows: int, folder: Path) -> tuple[float, float]:
    """Return seconds and the peak above the bare import, in MiB, of one process."""
    words = [way, str(folder / f"{rows}.parquet"), str(folder / "codes.parquet")]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.files", *words],
        check=True,
        capture_output=True,
        text=True,
    )
    (folder / "codes.parquet").unlink()
    seconds, peak = json.loads(done.stdout)
    return seconds, peak


def streamed(source: Path, out: Path) -> None:
    from primefourier.files import encode_file

    encode_file(source, out=out, column="n")


def in_memory(source: Path, out: Path) -> None:
    """Encode all at once and write it with the settings that the streaming uses."""
    import os

    import pyarrow as pa
    import pyarrow.parquet as pq

    from primefourier._checks import usable_cores
    from primefourier.files.writers import code_field

    table = pq.read_table(source)
    codes = pf.encode(table["n"].to_numpy(), pf.PAPER_BASIS, threads=usable_cores())
    field = code_field("code", pf.PAPER_BASIS, "float32")
    lists = pa.FixedSizeListArray.from_arrays(pa.array(codes.reshape(-1)), type=field.type)
    with out.open("wb") as file:
        pq.write_table(
            table.append_column(field, lists),
            file,
            use_dictionary=["n"],
            write_statistics=["n"],
            compression={"n": "snappy", "code.list.element": "none"},
        )
        file.flush()
        os.fsync(file.fileno())


_WAYS: dict[str, Callable[[Path, Path], None]] = {"streamed": streamed, "in_memory": in_memory}


def _peak() -> float:
    """Return the most memory this process has had, in MiB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("this system does not report the peak of memory")


def main() -> None:
    import pyarrow.parquet  # noqa: F401

    way, source, out = sys.argv[1:]
    before, start = _peak(), time.perf_counter()
    _WAYS[way](Path(source), Path(out))
    print(json.dumps([time.perf_counter() - start, _peak() - before]))


if __name__ == "__main__":
    main()
