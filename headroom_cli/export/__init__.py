"""Export: what a run settled, as tables that others can join and aggregate."""
