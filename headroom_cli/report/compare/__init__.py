"""Two sets of sessions beside each other: what got better or worse, and by how much."""
