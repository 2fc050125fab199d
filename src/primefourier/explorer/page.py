"""Write the page as one HTML file that contains its styles, scripts and data.

The page sends no requests. Its content security policy names its only script by its hash and
forbids everything else, so nothing in the data can run, and nothing can leave the page.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from primefourier.explorer.bundle import bundle

_LARGEST_EXACT = 2**53
"""JavaScript rounds larger integers to the nearest float64."""


def make_page(data: Mapping[str, Any], *, title: str) -> str:
    """Return the page as HTML.

    Args:
        data: What the page shows, as plain data; docs/explorer.md describes its parts.
        title: The title that the browser shows.
    """
    folder = Path(__file__).parent
    scripts = {
        path.relative_to(folder / "scripts").as_posix(): path.read_text(encoding="utf-8")
        for path in folder.glob("scripts/*/*.js")
    }
    # the hash is of the text between the tags, so nothing may be added around it later
    script = bundle(scripts, "page/main.js")
    styles = sorted(folder.glob("styles/*.css"))
    style = "\n".join(path.read_text(encoding="utf-8") for path in styles)
    return Template((folder / "page.html").read_text(encoding="utf-8")).substitute(
        title=escape(title),
        policy=f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'",
        style=style,
        script=script,
        data=_as_script(data),
    )


def _hash(text: str) -> str:
    """Return the expression by which a content security policy allows one script or style."""
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"


def _as_script(data: Mapping[str, Any]) -> str:
    r"""Write data as JSON that cannot end the script element around it.

    >>> _as_script({"name": "</script>"})
    '{"name":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(_exact(data), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text.encode("utf-8", errors="backslashreplace").decode()  # lone surrogates


def _exact(value: Any) -> Any:
    """Replace integers that JavaScript would round by strings.

    >>> _exact({"seeds": (42, 2**53 + 1)})
    {'seeds': [42, '9007199254740993']}
    """
    if isinstance(value, Mapping):
        return {key: _exact(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_exact(item) for item in value]
    return str(value) if isinstance(value, int) and abs(value) > _LARGEST_EXACT else value
