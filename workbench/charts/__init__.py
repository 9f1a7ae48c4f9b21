"""Figures as plain dicts for Plotly."""
