"""Models that run on this machine: where they are to be had, and which scripts they read."""
