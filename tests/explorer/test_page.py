"""The HTML file of a page: its data, its policy, and its scripts joined into one."""

import base64
import json
import re
from hashlib import sha256
from itertools import islice
from typing import Any

import pytest

from primefourier.arithmetic.primes import primes_from
from primefourier.encoding import PrimeBasis
from primefourier.explorer import make_page, page_data
from primefourier.explorer.bundle import bundle
from read_page import parse_page

DATA: dict[str, Any] = {
    "start": {"a": "9", "b": "17", "n": "23", "operation": "add", "primes": None},
    "basis": {"primes": ["3", "5"], "depth": 2},
    "run": None,
}
HOSTILE = (
    "</script><script>alert(1)</script>",
    "<!-- <script>",
    "]]> --> &amp; &lt;",
    "\u2028\u2029",
    "\ud800",
    "\udc80 and \ud83d\ude00",
    "$data $policy ${title} $$ $",
    "\x00\x1b[31m\x7f\u202e",
    "'\"`\\\n\t\r",
)
POLICY = "Content-Security-Policy"


def digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"


def test_hostile_texts_stay_data() -> None:
    tags = parse_page(make_page(DATA, title="t")).tags
    assert parse_page(make_page(DATA, title=HOSTILE[0])).texts["title"] == HOSTILE[0]
    for text in HOSTILE:
        data = {**DATA, "run": {"name": text, text: [text]}}
        source = (
            make_page(data, title="</title><script>").encode().decode()
        )  # as it is written and read
        page = parse_page(source)
        found = json.loads(page.texts["data"])
        assert json.dumps(found) == json.dumps(data), "compared with escaped surrogates"
        assert page.tags == tags
        assert not set("<>&\u2028\u2029") & set(page.texts["data"])


def test_the_policy_allows_only_the_pages_script_and_style() -> None:
    page = parse_page(make_page(DATA, title="t"))
    rules = dict(rule.strip().split(" ", 1) for rule in page.attributes[POLICY].split(";"))
    assert rules == {
        "default-src": "'none'",
        "script-src": digest(page.texts["script"]),
        "style-src": digest(page.texts["style"]),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    tags = [tag for tag, _ in page.tags]
    assert tags.index("meta") < min(tags.index(tag) for tag in ("link", "style", "script"))


def test_no_element_or_attribute_loads_or_runs_anything() -> None:
    tags = parse_page(make_page(DATA, title="t")).tags
    assert {tag for tag, _ in tags} <= {
        *("html", "head", "meta", "title", "link", "style", "body", "a", "div", "noscript"),
        "script",
    }
    names = {name for _, attributes in tags for name in attributes}
    assert not names & {"src", "srcset", "action", "style", "integrity"}
    assert not any(name.startswith("on") for name in names)


def test_the_script_does_not_depend_on_the_data() -> None:
    plain = parse_page(make_page(DATA, title="t"))
    other = parse_page(make_page({**DATA, "run": {"name": HOSTILE[0]}}, title="u"))
    assert plain.texts["script"].startswith('"use strict";\nconst ')
    assert plain.texts["script"].rstrip().endswith("})();")
    assert plain.texts["script"] == other.texts["script"]
    assert plain.attributes[POLICY] == other.attributes[POLICY]


def test_nan_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        make_page({**DATA, "run": {"mean": float("nan")}}, title="t")


def test_integers_that_javascript_would_round_are_strings() -> None:
    huge = 10**400
    data = page_data(huge, -huge, huge + 1, circles=(2, 3), basis=PrimeBasis((2, 3), 4))
    assert data["start"]["b"] == f"-{huge}"
    assert data["start"]["n"] == str(huge + 1)
    assert data["basis"] == {"primes": ["2", "3"], "depth": 4}
    seeds = [2**53, -(2**53), 2**53 + 1, -(2**53) - 1, True, 0.5]
    page = parse_page(make_page({**DATA, "run": {"seeds": seeds}}, title="t"))
    assert json.loads(page.texts["data"])["run"]["seeds"] == [
        *(2**53, -(2**53), "9007199254740993", "-9007199254740993", True, 0.5),
    ]


def test_too_many_primes_or_depths_are_refused() -> None:
    primes = tuple(islice(primes_from(2), 65))
    with pytest.raises(ValueError, match="a page shows at most 64 primes, got 65"):
        page_data(basis=PrimeBasis(primes, 1))
    with pytest.raises(ValueError, match="at most 64 primes"):
        page_data(circles=primes)
    with pytest.raises(ValueError, match="a page shows at most 64 depths, got 65"):
        page_data(basis=PrimeBasis((2,), 65))


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
