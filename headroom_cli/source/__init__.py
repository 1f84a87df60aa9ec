"""Where logs lie, and how their bytes become records."""
