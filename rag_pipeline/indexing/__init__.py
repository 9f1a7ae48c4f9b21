"""Documents as searchable chunks: arrays of spans, their vectors and words, in memory and on disk."""
