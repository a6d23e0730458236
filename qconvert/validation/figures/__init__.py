"""What is measured, as figures that are added sample by sample, and the report that holds them."""
