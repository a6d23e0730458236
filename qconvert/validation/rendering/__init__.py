"""The forms of a report: terminal, Markdown, GitHub, JUnit, node data, HTML."""
