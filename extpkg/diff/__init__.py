"""What changed between two Definitions, what that means for whoever calls them, and what shows it."""
