"""Repair: a broken history to a valid one, written back in its own format and nowhere else."""
