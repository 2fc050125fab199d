import subprocess
import sys


def test_without_pyarrow_the_error_names_the_extra() -> None:
    program = "import sys; sys.modules['pyarrow'] = None; import primefourier.bulk"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert "run pip install 'primefourier[files]'" in done.stderr
