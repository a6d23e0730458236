"""Normalization operators."""
