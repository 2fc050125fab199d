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
from graphlib import CycleError, TopologicalSorter

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.{1,2}/[a-z0-9_./]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (\w+))", re.MULTILINE)
_UNSUPPORTED = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def bundle(scripts: Mapping[str, str], main: str) -> str:
    r"""Return one script that does what ``main`` does.

    Args:
        scripts: The text of each script, by its path in the folder of scripts.
        main: The path of the script to start with.

    Raises:
        ValueError: If scripts import each other in a cycle, a script is missing, or a script uses
            syntax that is not supported.

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
    # only what main needs, so an unused script is not in the page
    graph: dict[str, list[str]] = {}
    pending = [main]
    while pending:
        path = pending.pop()
        if path in graph:
            continue
        graph[path] = [_resolve(path, other) for _, other in _IMPORT.findall(scripts[path])]
        for other in graph[path]:
            if other not in scripts:
                raise ValueError(f"{path} imports {other}, which does not exist")
        pending += graph[path]
    try:
        ordered = list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        cycle = " → ".join(reversed(error.args[1]))
        raise ValueError(f"scripts must not import each other in a cycle: {cycle}") from None
    return "\n".join(['"use strict";', *(_as_function(path, scripts[path]) for path in ordered)])


def _resolve(importer: str, other: str) -> str:
    """Return the path in the folder of scripts that an import names."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(importer), other))


def _as_function(path: str, text: str) -> str:
    # a line that neither pattern took away would be an error of syntax inside a function
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
