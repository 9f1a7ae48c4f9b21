"""Models that metrics ask on this machine: loading them, pairs of texts, the likelihood of a question."""
