import subprocess
import sys

import primefourier.analysis


def test_public_names_exist() -> None:
    names = primefourier.analysis.__all__
    assert {"ablate", "feature_groups", "noise_floor", "selectivity"} <= set(names)
    for name in names:
        assert callable(getattr(primefourier.analysis, name))


def test_without_torch_the_error_names_the_extra() -> None:
    program = "import sys; sys.modules['torch'] = None; import primefourier.analysis"
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "pip install 'primefourier[nn]'" in done.stderr.splitlines()[-1]
