"""Stored values as the pages show them."""
