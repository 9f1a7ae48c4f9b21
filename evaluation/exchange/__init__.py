"""Test sets, answers and runs as files: each format is a unit that reads its bytes, writes them, or both."""
