"""Rows to what people and programs read."""
