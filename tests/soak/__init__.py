"""Streaming jobs that are killed again and again, and must neither lose nor repeat a result."""
