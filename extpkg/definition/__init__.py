"""The Definition: model, building, the one form, projection and digest, encoding as files."""
