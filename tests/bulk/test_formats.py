from pathlib import Path

import pytest

from primefourier.bulk import BulkError
from primefourier.bulk.formats import format_of, is_folder, output_format


def test_the_ending_names_the_format_in_capitals_too() -> None:
    names = ("a.parquet", "a.CSV", "a.tsv", "a.jsonl", "a.ndjson", "a.b.npy")
    kinds = [format_of(Path(name)) for name in names]
    assert kinds == ["parquet", "csv", "tsv", "jsonl", "jsonl", "npy"]
    for name in ("a.txt", "a", "a.csv.gz", ".csv"):
        with pytest.raises(BulkError, match=r"must end in \.parquet, \.csv"):
            format_of(Path(name))


def test_folders_have_no_ending_or_a_slash_or_are_there(tmp_path: Path) -> None:
    (tmp_path / "codes.v1").mkdir()
    for out in ("codes", "codes.parquet/", Path("a.b/codes"), tmp_path / "codes.v1"):
        assert is_folder(out)
        assert output_format(out, None) == "parquet"
        assert output_format(out, "jsonl") == "jsonl"
    assert not is_folder("codes.parquet")


def test_two_words_for_the_format_must_agree() -> None:
    assert output_format("a.ndjson", "jsonl") == "jsonl"
    with pytest.raises(BulkError, match=r"--format csv and --out a\.npy do not agree"):
        output_format("a.npy", "csv")
    with pytest.raises(BulkError, match="--format must be one of parquet, csv, tsv, jsonl, npy"):
        output_format("a", "xlsx")


def test_a_folder_in_the_place_of_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "codes.csv").mkdir()
    with pytest.raises(BulkError, match="is a folder; give a file another name, or add a /"):
        is_folder(tmp_path / "codes.csv")
    assert is_folder(f"{tmp_path}/codes.csv/")
    with pytest.raises(BulkError, match="must name a file or a folder"):
        is_folder("")
