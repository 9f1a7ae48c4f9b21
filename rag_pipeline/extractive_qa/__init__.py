"""The built-in extractive reader: windows, network, spans, questions, signals, declining, trimming."""
