"""Answers to scores, scores to means with intervals, and what failed where."""
