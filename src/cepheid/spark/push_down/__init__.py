"""What Spark does before Python sees an event."""
