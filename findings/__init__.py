"""What we found with this library: one folder each, with its code, its results and a README."""
