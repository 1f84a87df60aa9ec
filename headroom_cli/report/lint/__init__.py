"""What lint found, as people and programs read it: one module each."""
