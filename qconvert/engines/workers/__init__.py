"""Workers: one module for each engine with ``serve(message) -> message``, imported only inside the child process."""
