"""The page's scripts, joined into one."""

import re

import pytest

from primefourier.explorer.bundle import bundle

ONE = "// First.\nexport const one = 1;\n"
TWO = 'import { one } from "../numbers/one.js";\nexport function two() {\n  return 2 * one;\n}\n'


def modules(script: str) -> list[str]:
    return re.findall(r"^const (\w+) = \(\(\) => \{$", script, re.MULTILINE)


def test_every_script_comes_once_and_after_its_imports() -> None:
    main = (
        'import {\n  two,\n} from "./two.js";\n'
        'import { one } from "./../numbers/one.js";\ntwo(one);\n'
    )
    script = bundle(
        {"page/main.js": main, "page/two.js": TWO, "numbers/one.js": ONE, "page/unused.js": "!"},
        "page/main.js",
    )
    assert modules(script) == ["numbers_one", "page_two", "page_main"]
    assert script.startswith('"use strict";\n')
    assert "const { two } = page_two;\nconst { one } = numbers_one;\ntwo(one);" in script
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)


def test_functions_classes_and_constants_can_be_exported() -> None:
    text = (
        "export function f() {}\nexport async function g() {}\nexport function* h() {}\n"
        "export class C {}\nexport const x = 1;\nconst hidden = 2;\n"
    )
    script = bundle({"main.js": text}, "main.js")
    assert "return { f, g, h, C, x };" in script
    assert "function* h() {}\nclass C {}\nconst x = 1;\nconst hidden = 2;" in script


def test_cycles_and_missing_scripts_are_refused() -> None:
    scripts = {
        "main.js": 'import { a } from "./a/a.js";\n',
        "a/a.js": 'import { b } from "../b/b.js";\n',
        "b/b.js": 'import { a } from "../a/a.js";\n',
    }
    with pytest.raises(
        ValueError, match=r"in a cycle: (a/a\.js → b/b\.js → a/a\.js|b/b\.js → a/a\.js → b/b\.js)$"
    ):
        bundle(scripts, "main.js")
    message = r"^page/two\.js imports numbers/one\.js, which does not exist$"
    with pytest.raises(ValueError, match=message):
        bundle({"page/two.js": TWO}, "page/two.js")


@pytest.mark.parametrize("path", ["./../../one.js", "../../scripts/page/one.js"])
def test_imports_stay_in_the_folder_of_scripts(path: str) -> None:
    text = f'import {{ one }} from "{path}";\n'
    with pytest.raises(ValueError, match=r"main\.js imports \.\./.*, which does not exist$"):
        bundle({"page/main.js": text, "one.js": ONE, "page/one.js": ONE}, "page/main.js")


@pytest.mark.parametrize(
    "line",
    [
        'import one from "./one.js";',
        'import * as one from "./one.js";',
        'import { one } from "https://example.com/one.js";',
        "export let x = 3;",
        "export { x };",
    ],
)
def test_unsupported_syntax_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"main\.js has a line that cannot be bundled: ") as error:
        bundle({"main.js": f"{line}\n", "one.js": ONE}, "main.js")
    assert line in str(error.value)
