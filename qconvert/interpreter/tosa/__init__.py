"""What TOSA's ops mean, in numpy; loaded where a module has such ops."""
