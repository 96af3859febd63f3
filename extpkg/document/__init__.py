"""Reading documents and the files they are in, strictly and within bounds (R-DOC, R-PKG-2)."""
