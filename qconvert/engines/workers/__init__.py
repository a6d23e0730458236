"""What runs inside the children: one module per engine, imported there only, with ``serve(message) -> message``."""
