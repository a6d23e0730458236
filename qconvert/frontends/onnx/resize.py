"""Resize operators."""
