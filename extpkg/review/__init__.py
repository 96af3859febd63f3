"""A package as one page that a person reviews: what it does, what it sends, what changed, what is wrong.

Values in, HTML out: nothing here opens a file, asks a clock or reads the environment.
"""

from extpkg.review.page import page
from extpkg.review.subject import Comparison, Example, Located, Sent, Subject

__all__ = ["Comparison", "Example", "Located", "Sent", "Subject", "page"]
