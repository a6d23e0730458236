"""The figures of a validation, which are added sample by sample, and the report that holds them."""
