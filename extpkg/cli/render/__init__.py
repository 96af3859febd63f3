"""Reports as text for people and machines: one module for each format, all of them pure."""
