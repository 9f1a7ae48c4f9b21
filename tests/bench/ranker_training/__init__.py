"""Teaches the ranker of the built-in question writer from questions that readers have judged."""
