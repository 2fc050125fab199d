"""Write the hashes of the pinned versions: ``make lock``, after a change of constraints.txt.

Each pin gets the hashes of all its files, so that a lock holds on every platform. torch is left
out: its builds for CPUs and for each CUDA have one version and different files.
"""

import shutil
import subprocess
import sys

from release.requirements import ROOT, markers, needed, pins

COMMAND = (
    *("uv", "pip", "compile", "--quiet", "--no-deps", "--universal", "--python-version", "3.11"),
    *("--generate-hashes", "--no-header", "--no-annotate", "--no-emit-index-url", "-"),
)
HEAD = (
    "# Made by `make lock` from constraints.txt; {}. docs/security.md says what it protects from.\n"
)


def main() -> int:
    """Write requirements.lock, and requirements-interop.lock with what only tests need."""
    if shutil.which("uv") is None:
        print("make lock needs uv, which is not installed; run pip install uv")
        return 1
    own = needed("dev")
    every = {name: version for name, version in pins().items() if name != "torch"}
    parts = {
        "requirements.lock": ({n for n in every if n in own}, "what `make install` installs"),
        "requirements-interop.lock": ({n for n in every if n not in own}, "for `make test`"),
    }
    for file, (names, purpose) in parts.items():
        conditions = {name: f" ; {marker}" for name, marker in markers().items()}
        text = "".join(f"{n}=={every[n]}{conditions.get(n, '')}\n" for n in sorted(names))
        found = subprocess.run(COMMAND, input=text, capture_output=True, text=True, check=False)
        if found.returncode:
            print(f"{found.stderr}uv found no hashes for {file}, which is unchanged")
            return 1
        (ROOT / file).write_text(HEAD.format(purpose) + found.stdout)
        print(f"{file}: {len(names)} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
