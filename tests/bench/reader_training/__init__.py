"""Training of the built-in reader; run by hand, never when the workbench runs."""
