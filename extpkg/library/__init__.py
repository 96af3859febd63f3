"""The library: every published version of every package, immutable and content-addressed."""
