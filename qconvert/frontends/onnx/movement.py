"""Movement operators."""
