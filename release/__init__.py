"""Trials of what a release installs, where nothing else is."""
