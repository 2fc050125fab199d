"""Break sweeps on purpose, with real processes, disks and clusters, and count what is lost."""
