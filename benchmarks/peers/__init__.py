"""The same questions, written by hand for other engines."""
