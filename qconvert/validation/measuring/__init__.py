"""The measurement of outputs and layers on blocks of samples."""
