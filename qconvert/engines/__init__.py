"""Real runtimes, each in a child process, because models are untrusted and some programs abort the runtime."""
