"""Whether an answer declines."""
