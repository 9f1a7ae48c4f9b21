"""Models that run on this machine: where they come from, and which scripts they read."""
