"""Real servers for tests: a Kafka broker and PostgreSQL, on loopback, while tests run."""
