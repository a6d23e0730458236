"""Small wrong changes of passes and writers, each of which ``validate`` must notice."""
