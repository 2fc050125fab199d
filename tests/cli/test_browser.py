import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from primefourier.cli.browser import write_page, write_size

SHOW = "import sys; from pathlib import Path; from primefourier.cli.browser import show_page; "


def show(path: Path, browser: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Open a page in a new process, as Python looks for browsers once in each."""
    return subprocess.run(
        [sys.executable, "-c", SHOW + "show_page(Path(sys.argv[1]))", str(path)],
        env={"PATH": os.environ["PATH"], "BROWSER": browser, **environment},
        capture_output=True,
        text=True,
        check=True,
        cwd=path.parent,
    )


def test_a_page_replaces_the_old_one_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    for text in ("old, and long", "ü"):
        assert write_page(text, path) == len(text.encode())
        assert path.read_bytes() == text.encode()
    assert list(tmp_path.iterdir()) == [path]


def test_two_who_write_at_once_never_leave_half_a_page(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    pages = [letter * 300_000 for letter in "abc"]
    with ThreadPoolExecutor(3) as pool:
        for size in pool.map(lambda page: write_page(page, path), pages * 20):
            assert size == 300_000
            assert path.read_text() in pages
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_one(tmp_path: Path) -> None:
    link = tmp_path / "link.html"
    link.symlink_to(tmp_path / "page.html")
    write_page("text", link)
    assert link.is_symlink()
    assert (tmp_path / "page.html").read_text() == "text"


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="is a folder; name a file in it"):
        write_page("text", tmp_path)
    for place in (tmp_path / "none" / "page.html", Path("/proc/page.html")):
        with pytest.raises(
            OSError, match=r"page\.html cannot be written: .*; choose another place"
        ):
            write_page("text", place)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_the_old_page(small_disk: Path) -> None:
    path = small_disk / "page.html"
    write_page("old", path)
    with pytest.raises(OSError, match=r"cannot be written: No space left on device"):
        write_page("x" * 500_000, path)
    assert path.read_text() == "old"
    assert list(small_disk.iterdir()) == [path]


def test_the_browser_gets_the_address_of_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "a b#c?é"
    folder.mkdir()
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf "%s|" "$@" > {tmp_path}/opened\n')
    browser.chmod(0o755)
    done = show(folder / "page.html", str(browser))
    assert (done.stdout, done.stderr) == ("", "")
    assert (tmp_path / "opened").read_text() == f"{(folder / 'page.html').as_uri()}|"


def test_without_a_browser_the_file_is_named(tmp_path: Path) -> None:
    for program in ("/bin/false", "/nowhere/browser"):
        done = show(Path(f"{tmp_path}/page.html"), program, PATH="/nowhere")
        assert done.stdout == ""
        assert done.stderr == (
            "No browser could be opened here; open this file in one: "
            f"{(tmp_path / 'page.html').resolve()}\n"
        )


def test_sizes_are_told_in_words() -> None:
    assert [write_size(n) for n in (0, 1499, 999_400, 4_960_000)] == [
        *("0 kB", "1 kB", "999 kB", "5.0 MB"),
    ]
