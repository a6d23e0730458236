"""Resize composites."""
