"""Embeddings tuned on a test set: what is learned from, and what it brought."""
