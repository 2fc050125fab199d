import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

Pfe = Callable[..., tuple[int, str, str]]
Smoke = tuple[Path, subprocess.CompletedProcess[str]]


def test_every_figure_is_written_as_png_and_svg(smoke: Smoke, pfe: Pfe, tmp_path: Path) -> None:
    code, out, _ = pfe("figures", str(smoke[0]), "--out", str(tmp_path / "new"), "--json")
    assert code == 0
    written = [Path(name) for name in json.loads(out)]
    assert {path.suffix for path in written} == {".png", ".svg"}
    assert len({path.stem for path in written}) == len(written) / 2
    for path in written:
        data = path.read_bytes()
        assert data.startswith(b"\x89PNG" if path.suffix == ".png" else b"<?xml")
        assert data == (smoke[0] / "figures" / path.name).read_bytes()  # the same, bit for bit


def test_captions_name_seeds_floor_and_command(smoke: Smoke) -> None:
    drawn = (smoke[0] / "figures" / "figure-04-exp1-diagonal.svg").read_text()
    caption = " ".join(re.findall("<!-- (.*?) -->", drawn)).replace("- -", "--")
    for words in ("1 seed (42)", "noise floor", "pfe reproduce --profile smoke"):
        assert words in caption
