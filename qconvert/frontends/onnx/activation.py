"""Activation operators."""
