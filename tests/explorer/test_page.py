import base64
import json
from hashlib import sha256
from typing import Any

import pytest

from primefourier.explorer import make_page
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


@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_comes_back_as_it_was(text: str) -> None:
    data = {**DATA, "run": {"name": text, text: [text]}}
    source = make_page(data, title="t").encode().decode()  # as it is written and read
    page = parse_page(source)
    found = json.loads(page.texts["data"])
    assert json.dumps(found) == json.dumps(data), "compared with halves of surrogate pairs escaped"
    assert page.tags == parse_page(make_page(DATA, title="t")).tags


def test_the_data_cannot_hold_what_an_html_parser_looks_for() -> None:
    data = {**DATA, "run": {"names": list(HOSTILE)}}
    text = parse_page(make_page(data, title="t")).texts["data"]
    assert not set("<>&\u2028\u2029") & set(text)


def test_the_title_is_text() -> None:
    for title in ("</title><script>alert(1)</script>", "a & b", "$data"):
        page = parse_page(make_page(DATA, title=title))
        assert page.texts["title"] == title
        assert page.tags == parse_page(make_page(DATA, title="t")).tags


def test_the_policy_names_the_script_and_the_style_and_forbids_all_else() -> None:
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


def test_the_policy_comes_before_anything_it_is_about() -> None:
    tags = [tag for tag, _ in parse_page(make_page(DATA, title="t")).tags]
    assert tags.index("meta") < min(tags.index(tag) for tag in ("link", "style", "script"))
    assert make_page(DATA, title="t").index(POLICY) < make_page(DATA, title="t").index("<style")


def test_no_element_or_attribute_loads_or_runs_anything() -> None:
    tags = parse_page(make_page(DATA, title="t")).tags
    assert {tag for tag, _ in tags} <= {
        *("html", "head", "meta", "title", "link", "style", "body", "a", "div", "noscript"),
        "script",
    }
    names = {name for _, attributes in tags for name in attributes}
    assert not names & {"src", "srcset", "action", "style", "integrity"}
    assert not any(name.startswith("on") for name in names)


def test_the_script_holds_every_module_and_nothing_of_the_data() -> None:
    plain = parse_page(make_page(DATA, title="t"))
    other = parse_page(make_page({**DATA, "run": {"name": HOSTILE[0]}}, title="u"))
    assert plain.texts["script"].startswith('"use strict";\nconst module_')
    assert plain.texts["script"].rstrip().endswith("})();")
    assert plain.texts["script"] == other.texts["script"]
    assert plain.attributes[POLICY] == other.attributes[POLICY]


def test_numbers_that_json_does_not_have_are_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        make_page({**DATA, "run": {"mean": float("nan")}}, title="t")
