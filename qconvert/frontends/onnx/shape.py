"""Shape operators."""
