"""The one seam to a language model: the `Engine` protocol and what implements it."""
