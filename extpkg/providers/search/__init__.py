"""Four search engines, each a Builtin of its own, over one contract (seed 004, R-SRCH).

A provider's module is the whole of what is its own: texts, connection, request and the shape of answers.
"""
