"""System checks: what is wrong with this installation, and the mend."""
