"""Studies of our own: each file is run by ``pfe run`` or by ``python -m``."""
