"""Whether a judge can be trusted: asked about claims whose marks are shipped."""
