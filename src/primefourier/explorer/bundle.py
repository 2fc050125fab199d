"""Join the page's scripts into one, since a page opened from a file cannot import others.

The scripts are ECMAScript modules in a narrow dialect: ``import { x } from "./y.js";`` at the top,
and ``export`` before a function, class or const. Each becomes a function that returns what it
exports, called once, after those it imports from.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([a-z_]+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (\w+))", re.MULTILINE)
_LEFT_OVER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def bundle(scripts: Mapping[str, str], main: str) -> str:
    r"""Return one script that does what ``main`` does.

    Args:
        scripts: The text of each script, by its name without ``.js``.
        main: The script to start with.

    >>> scripts = {"one": "export const one = 1;", "main": 'import { one } from "./one.js";\none;'}
    >>> print(bundle(scripts, "main"))
    "use strict";
    const module_one = (() => {
    const one = 1;
    return { one };
    })();
    const module_main = (() => {
    const { one } = module_one;
    one;
    return {  };
    })();
    """
    ordered: list[str] = []
    _visit(main, scripts, [], ordered)
    return "\n".join(['"use strict";', *(_as_function(name, scripts[name]) for name in ordered)])


def _visit(name: str, scripts: Mapping[str, str], path: list[str], ordered: list[str]) -> None:
    """Append a script to the order, after all it imports from."""
    if name in path:
        raise ValueError(f"scripts import each other in a circle: {' → '.join([*path, name])}")
    if name not in scripts:
        raise ValueError(f"{path[-1] if path else 'the page'} needs {name}.js, which is not there")
    if name in ordered:
        return
    for _, other in _IMPORT.findall(scripts[name]):
        _visit(other, scripts, [*path, name], ordered)
    ordered.append(name)


def _as_function(name: str, text: str) -> str:
    exported = _EXPORT.findall(text)
    body = _EXPORT.sub("", _IMPORT.sub(_take, text))
    if left := _LEFT_OVER.search(body):
        raise ValueError(f"{name}.js has a line this page cannot be made of: {left.group()}")
    return f"const module_{name} = (() => {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();"


def _take(found: re.Match[str]) -> str:
    names = ", ".join(found.group(1).replace(",", " ").split())
    return f"const {{ {names} }} = module_{found.group(2)};\n"
