"""Break sweeps on purpose, with real processes and disks, and count what is lost."""
