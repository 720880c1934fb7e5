"""A stand-in for Triton: the classes that heddle.triton wraps, as in Triton 3.6 to 3.9, and no more."""

__version__ = "3.6.0"
