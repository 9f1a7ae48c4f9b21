"""Long work in the background: rows are the truth, units are leased, anything can resume."""
