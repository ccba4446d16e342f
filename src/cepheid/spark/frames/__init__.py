"""DataFrames: columns by name, graphs as bytes, and those that Spark keeps."""
