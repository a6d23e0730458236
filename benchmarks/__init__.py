"""What conversion and evaluation cost, beside peers and limits."""
