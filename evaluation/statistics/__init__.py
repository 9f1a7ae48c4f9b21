"""Statistics of experiments: intervals, paired differences, ROC curves, thresholds, correlations. Numbers only."""
