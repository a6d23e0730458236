"""StableHLO out."""
