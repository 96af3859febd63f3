"""The release gate: one verdict on whether a package may be published, and a signed record of it."""
