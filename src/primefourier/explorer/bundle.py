"""Join the page's scripts into one, because a page opened from a file cannot import others.

The scripts are ECMAScript modules that use a small part of the language's import and export
syntax: ``import { x } from "../folder/y.js";`` at the top of a script, and ``export`` before a
function, class or const. Each script becomes a function that returns its exports. The functions
are called once each, in an order that puts imported scripts first.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.{1,2}/[a-z0-9_./]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (\w+))", re.MULTILINE)
_UNSUPPORTED = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def bundle(scripts: Mapping[str, str], main: str) -> str:
    r"""Return one script that does what ``main`` does.

    Args:
        scripts: The text of each script, by its path in the folder of scripts.
        main: The path of the script to start with.

    Raises:
        ValueError: If scripts import each other in a cycle, a script is missing, a path leaves the
            folder, or a script uses syntax that is not supported.

    >>> scripts = {
    ...     "numbers/one.js": "export const one = 1;",
    ...     "page/main.js": 'import { one } from "../numbers/one.js";\none;',
    ... }
    >>> print(bundle(scripts, "page/main.js"))
    "use strict";
    const numbers_one = (() => {
    const one = 1;
    return { one };
    })();
    const page_main = (() => {
    const { one } = numbers_one;
    one;
    return {  };
    })();
    """
    ordered: list[str] = []
    _visit(main, scripts, [], ordered)
    return "\n".join(['"use strict";', *(_as_function(path, scripts[path]) for path in ordered)])


def _visit(path: str, scripts: Mapping[str, str], importers: list[str], ordered: list[str]) -> None:
    """Append a script to the order, after all scripts it imports."""
    if path in importers:
        cycle = " → ".join([*importers[importers.index(path) :], path])
        raise ValueError(f"scripts must not import each other in a cycle: {cycle}")
    if path not in scripts:
        importer = importers[-1] if importers else "the page"
        raise ValueError(f"{importer} imports {path}, which does not exist")
    if path in ordered:
        return
    for _, other in _IMPORT.findall(scripts[path]):
        _visit(_resolve(path, other), scripts, [*importers, path], ordered)
    ordered.append(path)


def _resolve(importer: str, other: str) -> str:
    """Return the path in the folder of scripts that an import names."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(importer), other))
    if path.startswith("../"):
        raise ValueError(f"{importer} imports {other}, which is outside the folder of scripts")
    return path


def _as_function(path: str, text: str) -> str:
    exported = _EXPORT.findall(text)
    body = _EXPORT.sub("", _IMPORT.sub(lambda found: _as_constants(path, found), text))
    if unsupported := _UNSUPPORTED.search(body):
        raise ValueError(f"{path} has a line that cannot be bundled: {unsupported.group()}")
    return (
        f"const {_variable(path)} = (() => {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();"
    )


def _as_constants(path: str, found: re.Match[str]) -> str:
    names = ", ".join(found.group(1).replace(",", " ").split())
    return f"const {{ {names} }} = {_variable(_resolve(path, found.group(2)))};\n"


def _variable(path: str) -> str:
    """Return the name of the variable that holds the exports of a script."""
    return path.removesuffix(".js").replace("/", "_")
