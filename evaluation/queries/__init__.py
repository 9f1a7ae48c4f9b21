"""Reads across runs, answers and scores for the pages; a constant number of queries each."""
