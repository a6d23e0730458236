"""Real runtimes as judges: each runs in a child process, because models are untrusted and some programs abort them."""
