"""The formats, one file each."""
