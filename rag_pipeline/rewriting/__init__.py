"""Rewriting of questions by rules: spelling corrected by the corpus, and the asking clause alone."""
