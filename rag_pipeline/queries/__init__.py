"""Reads over the stored rows of the pipeline."""
