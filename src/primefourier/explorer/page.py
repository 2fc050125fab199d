"""One HTML file that needs nothing else: styles, scripts and data inside, no request to outside.

A content security policy names the page's only script by its hash and forbids all else, so that
nothing in the data can run and nothing leaves the page, whatever the data holds.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from primefourier.explorer.bundle import bundle

_LARGEST_EXACT = 2**53
"""JavaScript reads larger integers as the nearest float64."""


def make_page(data: Mapping[str, Any], *, title: str) -> str:
    """Return the page as HTML.

    Args:
        data: What the page shows, as plain data; docs/explorer.md has its parts.
        title: What the browser calls it.
    """
    folder = files("primefourier.explorer")
    scripts = {
        file.name.removesuffix(".js"): file.read_text(encoding="utf-8")
        for file in folder.joinpath("scripts").iterdir()
        if file.name.endswith(".js")
    }
    styles = sorted(folder.joinpath("styles").iterdir(), key=lambda file: file.name)
    script = bundle(scripts, "main")
    style = "\n".join(file.read_text(encoding="utf-8") for file in styles)
    return Template(folder.joinpath("page.html").read_text(encoding="utf-8")).substitute(
        title=escape(title),
        policy=f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'",
        style=style,
        script=script,
        data=_as_script(data),
    )


def _hash(text: str) -> str:
    """Return how a content security policy names a script or style of the page itself."""
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"


def _as_script(data: Mapping[str, Any]) -> str:
    r"""Write data as JSON that cannot end the script element it stands in.

    >>> _as_script({"name": "</script>"})
    '{"name":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(_exact(data), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text.encode("utf-8", errors="backslashreplace").decode()  # half of a surrogate pair


def _exact(value: Any) -> Any:
    """Turn integers that JavaScript would round into texts.

    >>> _exact({"seeds": (42, 2**53 + 1)})
    {'seeds': [42, '9007199254740993']}
    """
    if isinstance(value, Mapping):
        return {key: _exact(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_exact(item) for item in value]
    return str(value) if isinstance(value, int) and abs(value) > _LARGEST_EXACT else value
