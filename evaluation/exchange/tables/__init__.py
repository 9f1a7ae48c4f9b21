"""The kinds of files that hold tables, one file each."""
