"""Authoring a Package from an OpenAPI document: a tool that the runtime never imports (P001, P003)."""
