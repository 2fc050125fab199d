import re
from importlib.resources import files

import pytest

from primefourier.explorer.bundle import bundle

ONE = "// First.\nexport const one = 1;\n"
TWO = 'import { one } from "./one.js";\nexport function two() {\n  return one + one;\n}\n'


def modules(script: str) -> list[str]:
    return re.findall(r"^const module_(\w+) = ", script, re.MULTILINE)


def test_every_script_comes_once_and_after_those_it_imports_from() -> None:
    scripts = {
        "main": 'import { two } from "./two.js";\nimport { one } from "./one.js";\ntwo(one);\n',
        "two": TWO,
        "one": ONE,
        "unused": "nothing imports this",
    }
    script = bundle(scripts, "main")
    assert modules(script) == ["one", "two", "main"]
    assert script.startswith('"use strict";\n')
    assert "const { two } = module_two;\nconst { one } = module_one;\ntwo(one);" in script
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)


def test_names_are_kept_whatever_the_lines_they_stand_on() -> None:
    main = 'import {\n  one,\n  two as both,\n} from "./one.js";\n'
    with_many = {"main": main.replace("two as both", "three"), "one": ONE}
    assert "const { one, three } = module_one;" in bundle(with_many, "main")


def test_functions_classes_and_constants_can_be_exported() -> None:
    text = (
        "export function f() {}\nexport async function g() {}\nexport function* h() {}\n"
        "export class C {}\nexport const x = 1;\nconst hidden = 2;\n"
    )
    script = bundle({"main": text}, "main")
    assert "return { f, g, h, C, x };" in script
    assert "function* h() {}\nclass C {}\nconst x = 1;\nconst hidden = 2;" in script


def test_a_circle_is_told() -> None:
    scripts = {
        "main": 'import { a } from "./a.js";\n',
        "a": 'import { b } from "./b.js";\n',
        "b": 'import { a } from "./a.js";\n',
    }
    with pytest.raises(ValueError, match=r"in a circle: main → a → b → a$"):
        bundle(scripts, "main")


def test_a_missing_script_is_told() -> None:
    with pytest.raises(ValueError, match=r"^two needs one\.js, which is not there$"):
        bundle({"two": TWO}, "two")
    with pytest.raises(ValueError, match=r"^the page needs main\.js, which is not there$"):
        bundle({}, "main")


@pytest.mark.parametrize(
    "line",
    [
        'import one from "./one.js";',
        'import * as one from "./one.js";',
        'import { one } from "../one.js";',
        'import { one } from "https://example.com/one.js";',
        'import "./one.js";',
        "export default 3;",
        "export let x = 3;",
        "export { x };",
    ],
)
def test_what_is_not_in_the_dialect_is_refused(line: str) -> None:
    with pytest.raises(
        ValueError, match=r"main\.js has a line this page cannot be made of"
    ) as told:
        bundle({"main": f"{line}\n", "one": ONE}, "main")
    assert line in str(told.value)


def test_every_name_that_the_scripts_import_is_exported() -> None:
    folder = files("primefourier.explorer").joinpath("scripts")
    texts = {file.name: file.read_text() for file in folder.iterdir() if file.name.endswith(".js")}
    exported = {
        name: set(re.findall(r"^export (?:async )?(?:function\*?|class|const) (\w+)", text, re.M))
        for name, text in texts.items()
    }
    for name, text in texts.items():
        for names, other in re.findall(r'^import \{([^}]*)\} from "\./(\w+\.js)";', text, re.M):
            wanted = set(names.replace(",", " ").split())
            assert wanted <= exported[other], f"{name} imports from {other}"


def test_no_script_of_the_page_is_left_out() -> None:
    folder = files("primefourier.explorer").joinpath("scripts")
    scripts = {
        file.name.removesuffix(".js"): file.read_text()
        for file in folder.iterdir()
        if file.name.endswith(".js")
    }
    assert set(modules(bundle(scripts, "main"))) == set(scripts)
