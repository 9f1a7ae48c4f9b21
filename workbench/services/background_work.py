"""The kinds of background work of the website, each with the module that does it."""

HANDLERS = {"sample": "workbench.services.sample"}
