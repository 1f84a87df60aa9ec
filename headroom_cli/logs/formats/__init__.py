"""The log formats: one module each, registered by being there, documented by its own docstring."""
