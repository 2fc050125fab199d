"""Run the command line as ``python -m primefourier``."""

from primefourier.cli import main

if __name__ == "__main__":
    main()
