"""The settings of a pipeline: declared once, checked, and which part reads which."""
