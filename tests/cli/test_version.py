import json
from collections.abc import Callable

import numpy as np

import primefourier


def test_versions_are_printed_for_people_and_programs(
    pfe: Callable[..., tuple[int, str, str]],
) -> None:
    versions = json.loads(pfe("version", "--json")[1])
    assert versions["primefourier"] == primefourier.__version__
    assert versions["numpy"] == np.__version__
    assert f"primefourier {primefourier.__version__}" in pfe("version")[1]
