"""The engine of sweeps: which configurations, what they cost, what their scores mean, which one to use. No Django."""
