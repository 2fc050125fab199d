"""Write docs/licences.md: the licences of what the extras install, as metadata states them."""

from importlib.metadata import PackageMetadata, metadata

from release.requirements import FOR_DEVELOPERS, ROOT, extras, needed, pins

PAGE = ROOT / "docs" / "licences.md"
TEXT = """# Licences of dependencies

What the extras install in the [pinned](../constraints.txt) versions; the core needs numpy only. The
licences are those that each package states in its metadata, and `make licences` writes this page.
torch's builds for CUDA also install libraries of NVIDIA under NVIDIA's own terms; its build for
CPUs does not. What only development and tests install is not listed.

| package | version | licence |
|---|---|---|
"""


def rows() -> list[str]:
    """Return a row of the table for each pinned package that an extra for users needs."""
    names = needed(*(extra for extra in extras() if extra and extra not in FOR_DEVELOPERS))
    found = {name: version for name, version in pins().items() if name in names}
    return [
        f"| {name} | {version} | {licence(metadata(name))} |\n"
        for name, version in sorted(found.items())
    ]


def licence(about: PackageMetadata) -> str:
    """Return the licence of a package: an expression, classifiers, or else a line of text."""
    classes = [line.split(" :: ") for line in about.get_all("Classifier") or ()]
    names = [words[-1] for words in classes if words[0] == "License" and len(words) > 2]
    (expression, *_), (line, *_) = (
        about.get_all(name) or [""] for name in ("License-Expression", "License")
    )
    return str(expression or " and ".join(names) or line).strip()


if __name__ == "__main__":
    PAGE.write_text(TEXT + "".join(rows()))
