"""Which format a file is in."""
