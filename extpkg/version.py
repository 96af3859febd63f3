"""The version, a literal: `importlib.metadata` would cost a third of the start-up time."""

__version__ = "0.1.0"
