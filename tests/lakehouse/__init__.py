"""Delta Lake and Iceberg as sources and sinks, with their own jars: `make lakehouse`."""
