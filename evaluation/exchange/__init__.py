"""Test sets in the formats of others and our own: bytes to drafts of questions."""
